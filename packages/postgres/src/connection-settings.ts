import type { ClientConfig } from "pg";
import { timeLimits } from "./time-limits.ts";

export interface ConnectionOptions {
  url: string;
  schema: string;
  applicationName: string;
  connectTimeoutMs: number;
  /** 0 for no limit. */
  statementTimeoutMs: number;
}

/** The settings that every connection of this package shares. Throws on a schema that would need quoting. */
export function connectionSettings(options: ConnectionOptions): ClientConfig {
  const { statementTimeoutMs } = options;
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    options: `-c search_path=${assertSchemaName(options.schema)}`,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // The client's own limit is for a server that no longer answers at all: the server's limit comes first.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + timeLimits.silenceMs }),
    idle_in_transaction_session_timeout: timeLimits.idleTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  };
}

/** The name of a schema, safe to stand in SQL without quotes. */
export function assertSchemaName(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema;
  throw new TypeError(`a schema's name has only a-z, 0-9 and _: ${JSON.stringify(schema)}`);
}
