import pg from "pg";
import { connectionSettings } from "./connection-settings.ts";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { send } from "./prepared.ts";
import { repeatConflicts } from "./repeat-conflicts.ts";
import { runTransaction } from "./run-transaction.ts";
import type { Log, Sql, Tx } from "./sql.ts";
import { timeLimits } from "./time-limits.ts";

export interface Database extends Sql {
  /**
   * Runs `work` in one READ COMMITTED transaction and answers its result once COMMIT was confirmed. Rolls back when it
   * throws. `work` may run several times (deadlock, serialization failure), so it must have no effect but through `tx`.
   */
  withTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  readonly url: string;
  readonly schema: string;
  /** Waits for what is running, then closes every connection. Safe to call twice. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** The search_path of every connection. */
  schema: string;
  applicationName: string;
  log: Log;
  maxConnections?: number;
  /** Also the longest wait for a free connection of the pool. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
}

/** A pool. It connects lazily, so it opens also while the server is down. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, schema, applicationName, log } = options;
  const { connectTimeoutMs = timeLimits.connectMs, statementTimeoutMs = timeLimits.statementMs } = options;
  const pool = new pg.Pool({
    ...connectionSettings({ url, schema, applicationName, connectTimeoutMs, statementTimeoutMs }),
    max: options.maxConnections ?? 10,
    idleTimeoutMillis: 30_000,
  });
  const onFault = (error: Error) => log.warn({ err: error }, "a connection to Postgres was lost");
  // Without a listener an 'error' event ends the process: the pool's is for idle clients, the client's for those in use.
  pool.on("error", onFault);
  pool.on("connect", (client) => client.on("error", onFault));
  let closing: Promise<void> | undefined;
  return {
    url,
    schema,
    query: (text, params) => repeatConflicts(() => withClient(pool, (client) => send(client, text, params))),
    withTransaction: (work) => runTransaction((use) => withClient(pool, use), work),
    close: () => {
      closing ??= pool.end();
      return closing;
    },
  };
}

/**
 * With more waiting, a server that lets them wait is not keeping up: 10 connections serve so many in about the time that
 * the last of them would be given (2 s), and a server that is silent is to cost no more memory than that.
 */
const MOST_WAITING = 1000;

/** Lends a client; one on which a fault happened is destroyed instead of going back into the pool. */
async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient | undefined;
  let fault: DatabaseUnavailable | undefined;
  try {
    if (pool.waitingCount >= MOST_WAITING) throw new DatabaseUnavailable(new Error("too many wait already"), true);
    client = await pool.connect();
    return await use(client);
  } catch (error) {
    const classified = classifyFault(error);
    if (classified instanceof DatabaseUnavailable) fault = classified;
    throw classified;
  } finally {
    client?.release(fault);
  }
}
