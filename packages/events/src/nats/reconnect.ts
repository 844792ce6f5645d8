import type { Conditions, Telemetry } from "@cloud/runtime/telemetry";
import type { NatsConnection, ServerInfo } from "nats";
import { pause } from "../pause.ts";
import { type NatsAccess, openConnection, parseAccess } from "./nats-access.ts";
import { watchRefusals } from "./refused-logins.ts";

export interface Reconnecting {
  /** Undefined while disconnected. */
  current(): NatsConnection | undefined;
  /** Calls `listener` when a connection is made or lost. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Connects in the background until it is closed. Each connection is a new NatsConnection instead of the client's own
 * reconnect, so that nothing of a lost connection (such as an acknowledgement for a stream that was wiped meanwhile) is
 * sent on the next one. The files of the login and of TLS are read each time: one that was replaced needs no restart.
 */
export function reconnect(access: NatsAccess, clientName: string, telemetry: Telemetry): Reconnecting {
  const { log } = telemetry;
  const parsed = parseAccess(access);
  const refusals = watchRefusals(parsed.login, telemetry);
  const reportServer = watchOpenServer(telemetry.conditions);
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  let connection: NatsConnection | undefined;
  const change = (next: NatsConnection | undefined) => {
    connection = next;
    for (const listener of listeners) listener();
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      let pauseMs = PAUSE_MS;
      const made = await openConnection(parsed, clientName).catch((error: unknown) => {
        if (refusals.onFailure(error)) pauseMs = PAUSE_AFTER_REFUSAL_MS;
        else log.debug({ err: error }, "NATS cannot be reached");
        return undefined;
      });
      if (made === undefined || stopping.signal.aborted) {
        await made?.close();
        await pause(pauseMs, stopping.signal);
        continue;
      }
      refusals.onConnected();
      reportServer(made.info);
      log.info({ server: made.getServer() }, "connected to NATS");
      change(made);
      const error = await made.closed();
      change(undefined);
      if (!stopping.signal.aborted) log.warn({ err: error }, "the connection to NATS was lost");
    }
  };
  const running = run();

  return {
    current: () => (connection?.isClosed() ? undefined : connection),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      stopping.abort();
      const last = connection;
      // Flush pending acknowledgements first, but do not wait for a server that is unresponsive.
      const flushed = new AbortController();
      await Promise.race([last?.flush().catch(() => undefined), pause(500, flushed.signal)]);
      flushed.abort(); // or its timer would keep the process alive
      await last?.close();
      await running;
    },
  };
}

/**
 * Milliseconds between attempts. A refused login costs the server more than a connection, and lasts until an operator
 * acts.
 */
const PAUSE_MS = 200;

const PAUSE_AFTER_REFUSAL_MS = 1000;

/** Creates the function that raises the condition `nats-open` while the server asks its clients for no proof. */
function watchOpenServer(conditions: Conditions): (info: ServerInfo | undefined) => void {
  return (info) => {
    const asks = info?.auth_required === true || info?.tls_verify === true;
    if (asks) conditions.clear(OPEN);
    else conditions.raise(OPEN, OPEN_MESSAGE);
  };
}

const OPEN = "nats-open";

const OPEN_MESSAGE = "NATS accepts clients without a login: whoever reaches it can publish events";
