import type { Conditions } from "@cloud/runtime/telemetry";
import { ErrorCode, NatsError } from "nats";
import type { Reconnecting } from "./reconnect.ts";

/** Sends a request to JetStream's API. @throws Error with an explanation if JetStream does not respond */
export type SendToJetStream = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Creates the sender of requests. It raises the condition `jetstream-silent` when no request has been answered for 5 s
 * on a live connection, and clears it at the next response. A nats-server disables JetStream, and leaves it disabled,
 * once its disk was full. It also stops responding to the pings of a connection that has sent a JetStream request, so
 * reconnecting does not help.
 */
export function watchJetStream(connection: Reconnecting, conditions: Conditions): SendToJetStream {
  let silentSince: number | undefined;
  const onResponse = () => {
    silentSince = undefined;
    conditions.clear("jetstream-silent");
  };
  return async (request) => {
    try {
      const response = await request();
      onResponse();
      return response;
    } catch (error) {
      if (isSilence(error)) {
        silentSince ??= performance.now();
        const isOverdue = performance.now() - silentSince >= SILENT_MS && connection.current() !== undefined;
        if (isOverdue) conditions.raise("jetstream-silent", MESSAGE); // protects: jetstream-silent
        throw new Error(MESSAGE, { cause: error });
      }
      if (error instanceof NatsError && error.isJetStreamError()) onResponse();
      throw error;
    }
  };
}

/** Longer than the 4.5 s after which an unresponsive server counts as disconnected. */
const SILENT_MS = 5000;

const MESSAGE = "JetStream does not answer although the connection is up";

/** Detects a timeout, or 503: no JetStream in this server, none for this account, or temporarily none. */
function isSilence(error: unknown): boolean {
  return error instanceof NatsError && (error.code === ErrorCode.Timeout || error.code === ErrorCode.NoResponders);
}
