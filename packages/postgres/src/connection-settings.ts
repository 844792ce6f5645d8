import type { ClientConfig } from "pg";
import { typeParsers } from "./parse-time.ts";
import { nameInSql } from "./sql-text.ts";
import { timeLimits } from "./time-limits.ts";

export interface ConnectionOptions {
  url: string;
  schema: string;
  applicationName: string;
  connectTimeoutMs: number;
  /** 0 for no limit. */
  statementTimeoutMs: number;
}

/**
 * No parallel workers: those of a search that takes 25 ms alone took 10 to start, and a core from other requests. The memory
 * that 200,000 ids need in a hash table with room to spare: without it, each row would be compared with all of them.
 */
const PLANNER = "-c max_parallel_workers_per_gather=0 -c work_mem=8MB";

/** Returns the settings of every connection of this package. Throws TypeError on a schema that would need quotes. */
export function connectionSettings(options: ConnectionOptions): ClientConfig {
  const { statementTimeoutMs } = options;
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    options: `-c search_path=${nameInSql(options.schema)} ${PLANNER}`,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // The client's own limit is for a server that no longer responds at all; otherwise the server's expires first.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + timeLimits.silenceMs }),
    idle_in_transaction_session_timeout: timeLimits.idleTransactionMs,
    types: typeParsers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  };
}
