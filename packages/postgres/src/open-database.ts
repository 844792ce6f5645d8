import { type Conditions, correlate } from "@cloud/telemetry";
import pg from "pg";
import { connectionSettings } from "./connection-settings.ts";
import { classifyConnectFault, classifyFault, DatabaseUnavailable, ReadOnlyServer } from "./database-unavailable.ts";
import { type MeasuredPool, measurePool } from "./pool-metrics.ts";
import type { Pooler } from "./pooler.ts";
import { PostgresClient } from "./postgres-client.ts";
import { send } from "./prepared.ts";
import { repeatConflicts } from "./repeat-conflicts.ts";
import { prepareNothing } from "./round-trip.ts";
import { describeEachTime } from "./row-reader.ts";
import { runTransaction } from "./run-transaction.ts";
import type { Log, Sql, Tx } from "./sql.ts";
import { sql } from "./sql-text.ts";
import { timeLimits } from "./time-limits.ts";
import { type ConnectionWatch, watchConnections } from "./watch-connections.ts";

export interface Database extends Sql {
  /**
   * Runs `work` in one READ COMMITTED transaction and returns its result once COMMIT is confirmed. Rolls back when it
   * throws. `work` may run several times (deadlock, serialization failure), so all its effects must go through `tx`.
   */
  withTransaction<T>(work: (tx: Tx) => T | Promise<T>): Promise<T>;
  /** Throws DatabaseUnavailable unless the server can be reached, and accepts writes. */
  assertWritable(): Promise<void>;
  readonly url: string;
  /** Of Postgres itself; the same as `url` unless that names a pooler. */
  readonly directUrl: string;
  readonly schema: string;
  /** Waits for running statements and transactions, then closes every connection. Idempotent. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** The pooler that `url` names; absent if it names Postgres itself. */
  pooler?: Pooler | undefined;
  /** The search_path of every connection. */
  schema: string;
  applicationName: string;
  log: Log;
  maxConnections?: number;
  /** Also limits the wait for a free connection of the pool. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  /** Not measured if absent. */
  measured?: MeasuredPool;
  /** Raised while the login is refused or the server is read-only; absent in tests and commands. */
  conditions?: Conditions | undefined;
}

/** Opens a pool. It connects lazily, so it can be opened while the server is down. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, pooler, schema, applicationName, log } = options;
  const pooled = pooler !== undefined;
  const { connectTimeoutMs = timeLimits.connectMs, statementTimeoutMs = timeLimits.statementMs } = options;
  const pool = new pg.Pool({
    Client: PostgresClient as unknown as new () => PostgresClient,
    onConnect: (client) => (client as PostgresClient).assertWritable(),
    ...connectionSettings({ url, pooled, schema, applicationName, connectTimeoutMs, statementTimeoutMs }),
    max: options.maxConnections ?? 10,
    idleTimeoutMillis: 30_000,
  });
  // Not for the request that opened the connection, in whose context Node emits the event.
  const onFault = (error: Error) =>
    correlate(undefined, () => log.warn({ err: error }, "a connection to Postgres was lost"));
  // An 'error' event without a listener ends the process. The pool emits those of idle clients, one in use its own.
  pool.on("error", onFault);
  pool.on("connect", (client) => client.on("error", onFault));
  if (pooled) pool.on("connect", describeEachTime);
  if (pooler?.keepsStatements === false) pool.on("connect", prepareNothing);
  const measured = options.measured && measurePool(pool, options.measured);
  const watch = watchConnections({ url, pooled, conditions: options.conditions });
  pool.on("connect", () => watch.onConnected());
  const withClient: WithClient = (use) => useClient(pool, use, { watch, onTimeout: measured?.onTimeout });
  let closing: Promise<void> | undefined;
  return {
    url,
    directUrl: pooler?.directUrl ?? url,
    schema,
    query: (text, params) => repeatConflicts(() => withClient((client) => send(client, text, params))),
    assertWritable: async () => {
      await withClient(async (client) => {
        const { rows } = await send<{ readOnly: string }>(client, selectReadOnly);
        if (rows[0]?.readOnly !== "off") throw new ReadOnlyServer();
      });
      watch.onWritable();
    },
    withTransaction: (work) => runTransaction(withClient, work),
    close: () => {
      measured?.stop();
      closing ??= pool.end();
      return closing;
    },
  };
}

/**
 * The most callers that wait for a connection. 10 connections serve 1,000 in about the time that the last of them may
 * wait (2 s), so a longer queue shows a server that does not keep up. It also bounds the memory that an unresponsive
 * server costs.
 */
const MOST_WAITING = 1000;

type WithClient = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

interface Observers {
  readonly watch: ConnectionWatch;
  readonly onTimeout: (() => void) | undefined;
}

/** Runs `use` with a client of the pool. A client with a fault is destroyed instead of returned to the pool. */
async function useClient<T>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<T>,
  { watch, onTimeout }: Observers,
): Promise<T> {
  if (pool.waitingCount >= MOST_WAITING) {
    onTimeout?.();
    throw new DatabaseUnavailable(new Error("too many wait already"), true);
  }
  const client = await connect(pool).catch((error: unknown) => {
    const refused = classifyConnectFault(error);
    watch.onFault(refused.cause);
    if (refused.timedOut) onTimeout?.();
    throw refused;
  });
  let fault: DatabaseUnavailable | undefined;
  try {
    return await use(client);
  } catch (error) {
    const classified = classifyFault(error);
    if (classified instanceof DatabaseUnavailable) fault = classified;
    throw classified;
  } finally {
    fault ??= leavingFault(client);
    if (fault !== undefined) watch.onFault(fault.cause);
    client.release(fault);
  }
}

/** Returns the reason for which a connection is not used again although its statements succeeded. */
function leavingFault(client: PostgresClient): DatabaseUnavailable | undefined {
  try {
    client.assertWritable();
    return undefined;
  } catch (error) {
    return new DatabaseUnavailable(error, false);
  }
}

/** `pg` reads the certificates of the URL before it returns a promise. */
const connect = async (pool: pg.Pool) => (await pool.connect()) as pg.PoolClient & PostgresClient;

/** On for all transactions of a standby, too. */
const selectReadOnly = sql`select current_setting('transaction_read_only') as "readOnly"`;
