import type { ClientConfig } from "pg";
import { typeParsers } from "./parse-time.ts";
import type { ClientSettings } from "./postgres-client.ts";
import { sessionOptions } from "./session-defaults.ts";
import { nameInSql } from "./sql-text.ts";
import { timeLimits } from "./time-limits.ts";

export interface ConnectionOptions {
  url: string;
  schema: string;
  applicationName: string;
  connectTimeoutMs: number;
  /** 0 for no limit. */
  statementTimeoutMs: number;
  /** Whether the URL names a pooler in transaction mode, which accepts no settings of a session. */
  pooled?: boolean | undefined;
  /** Whether the pooler keeps the named statements of its clients. */
  keepsStatements?: boolean | undefined;
}

/** Returns the settings of every connection of this package. Throws TypeError on a schema that would need quotes. */
export function connectionSettings(options: ConnectionOptions): ClientSettings {
  const { statementTimeoutMs } = options;
  return {
    connectionString: options.url,
    passwordFile: new URL(options.url).searchParams.get("passwordfile") ?? undefined,
    pooled: options.pooled === true,
    keepsStatements: options.keepsStatements ?? true,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    ...(options.pooled !== true && sessionSettings(options)),
    // The client's own limit is for a server that no longer responds at all; otherwise the server's expires first.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + timeLimits.silenceMs }),
    types: typeParsers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  };
}

function sessionSettings({ schema, statementTimeoutMs }: ConnectionOptions): ClientConfig {
  // `pg` sends no limit of 0, so that the role's own would hold, which is set where there is a pooler.
  const unlimited = statementTimeoutMs === 0 ? " -c statement_timeout=0" : "";
  return {
    options: `${sessionOptions(nameInSql(schema))}${unlimited}`,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: timeLimits.idleTransactionMs,
  };
}
