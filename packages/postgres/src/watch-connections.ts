import type { Conditions } from "@cloud/telemetry";
import { codeOf, isRefusal, READ_ONLY } from "./database-unavailable.ts";

/** What became of the connections to one server. */
export interface ConnectionWatch {
  /** A login was accepted. Behind a pooler that says nothing about the server. */
  onConnected(): void;
  /** The server was asked, and accepts writes. */
  onWritable(): void;
  /** A connection, or a statement on one, failed for this reason. */
  onFault(cause: unknown): void;
}

export interface WatchOptions {
  readonly url: string;
  readonly pooled: boolean;
  readonly conditions: Conditions | undefined;
}

/**
 * Raises the condition `postgres-login`, or `pooler-login`, while the server refuses the login or the settings of a
 * connection, and `postgres-read-only` while it accepts no writes. A server that cannot be reached changes neither.
 */
export function watchConnections({ url, pooled, conditions }: WatchOptions): ConnectionWatch {
  const { username, host } = new URL(url);
  const login = pooled ? "pooler-login" : "postgres-login";
  const onWritable = () => conditions?.clear(READ_ONLY_SERVER);
  return {
    onConnected: () => {
      conditions?.clear(login);
      if (!pooled) onWritable();
    },
    onWritable,
    onFault: (cause) => {
      if (codeOf(cause) === READ_ONLY)
        conditions?.raise(READ_ONLY_SERVER, `${host} accepts no writes, and is not used`);
      if (!isRefusal(cause)) return;
      const user = decodeURIComponent(username);
      const { message } = cause as Error;
      conditions?.raise(login, `${pooled ? "the pooler" : "Postgres"} cannot be used as the user ${user}: ${message}`);
    },
  };
}

const READ_ONLY_SERVER = "postgres-read-only";
