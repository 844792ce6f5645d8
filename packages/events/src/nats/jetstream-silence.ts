import type { Conditions } from "@cloud/runtime/telemetry";
import { ErrorCode, NatsError } from "nats";
import type { Reconnecting } from "./reconnect.ts";

export interface JetStreamSilence {
  /** Sends a request to JetStream's API. @throws Error with an explanation if JetStream does not respond */
  send<T>(request: () => Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * Raises the condition `jetstream-silent` when no request has been answered for 5 s on a live connection, and clears it
 * at the next response. A nats-server disables JetStream, and leaves it disabled, once its disk was full. It also stops
 * responding to the pings of a connection that has sent a JetStream request, so reconnecting does not help.
 */
export function watchJetStream(connection: Reconnecting, conditions: Conditions): JetStreamSilence {
  let timer: NodeJS.Timeout | undefined;
  let isOverdue = false;
  const onResponse = () => {
    clearTimeout(timer);
    timer = undefined;
    isOverdue = false;
    conditions.clear("jetstream-silent");
  };
  const raiseWhileConnected = () => {
    isOverdue = true;
    if (connection.current() !== undefined) conditions.raise("jetstream-silent", MESSAGE); // protects: jetstream-silent
  };
  const onSilence = () => {
    if (isOverdue) raiseWhileConnected();
    else timer ??= setTimeout(raiseWhileConnected, SILENT_MS).unref();
  };
  return {
    send: async (request) => {
      try {
        const response = await request();
        onResponse();
        return response;
      } catch (error) {
        if (isSilence(error)) {
          onSilence();
          throw new Error(MESSAGE, { cause: error });
        }
        if (error instanceof NatsError && error.isJetStreamError()) onResponse();
        throw error;
      }
    },
    stop: () => clearTimeout(timer),
  };
}

/** Longer than the 4.5 s after which an unresponsive server counts as disconnected. */
const SILENT_MS = 5000;

const MESSAGE = "JetStream does not answer although the connection is up";

/** Detects a timeout, or 503: no JetStream in this server, none for this account, or temporarily none. */
function isSilence(error: unknown): boolean {
  return error instanceof NatsError && (error.code === ErrorCode.Timeout || error.code === ErrorCode.NoResponders);
}
