import type { Conditions } from "@cloud/runtime/telemetry";
import { codeOf, isRefusal, READ_ONLY } from "./database-errors.ts";

/**
 * Raises the condition `postgres-login`, or `pooler-login`, while the server refuses the login or the settings of a
 * connection, and `postgres-read-only` while it accepts no writes. A server that cannot be reached changes neither.
 */
export function watchConnections(url: string, pooled: boolean, conditions: Conditions | undefined) {
  const { username, host } = new URL(url);
  const login = pooled ? "pooler-login" : "postgres-login";
  const onWritable = () => conditions?.clear(READ_ONLY_SERVER);
  return {
    /** Records that a login was accepted. Behind a pooler this shows nothing about the server. */
    onConnected: () => {
      conditions?.clear(login);
      if (!pooled) onWritable();
    },
    /** Records that the server was asked, and accepts writes. */
    onWritable,
    /** Records that a connection, or a statement on one, failed for this reason. */
    onFault: (cause: unknown) => {
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
