import type { Conditions } from "@cloud/runtime/telemetry";
import { codeOf, isRefusal, READ_ONLY } from "./database-errors.ts";

/** An observer of the connections to one server. */
export interface ConnectionWatch {
  /** Records that a login was accepted. Behind a pooler this shows nothing about the server. */
  onConnected(): void;
  /** Records that the server was asked, and accepts writes. */
  onWritable(): void;
  /** Records that a connection, or a statement on one, failed for this reason. */
  onFault(cause: unknown): void;
}

interface WatchOptions {
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
