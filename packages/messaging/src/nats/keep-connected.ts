import type { Logger } from "@cloud/telemetry";
import { connect, type NatsConnection } from "nats";
import { pause } from "../pause.ts";

export interface KeptConnection {
  /** Undefined while there is none. */
  current(): NatsConnection | undefined;
  /** Calls `listener` when a connection was made or lost; answers the function that ends it. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Connects in the background, for ever. Each time with a new NatsConnection instead of the client's own reconnecting: so
 * nothing of a lost connection, such as an acknowledgement of a stream that was wiped meanwhile, is sent on the next.
 */
export function keepConnected(url: string, clientName: string, log: Logger): KeptConnection {
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  let connection: NatsConnection | undefined;
  const change = (next: NatsConnection | undefined) => {
    connection = next;
    for (const listener of listeners) listener();
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      const made = await open(url, clientName).catch((error: unknown) => {
        log.debug({ err: error }, "NATS cannot be reached");
        return undefined;
      });
      if (made === undefined || stopping.signal.aborted) {
        await made?.close();
        await pause(200, stopping.signal);
        continue;
      }
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
      // What was acknowledged goes out first; a server that does not answer is not waited for.
      await Promise.race([last?.flush().catch(() => undefined), pause(500, new AbortController().signal)]);
      await last?.close();
      await running;
    },
  };
}

function open(url: string, clientName: string): Promise<NatsConnection> {
  return connect({
    servers: url.split(","),
    name: clientName,
    reconnect: false,
    timeout: 2000,
    // A server that went silent is noticed at the third unanswered ping: after 4.5 s.
    pingInterval: 1500,
    maxPingOut: 2,
  });
}
