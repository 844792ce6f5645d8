import { setTimeout as wait } from "node:timers/promises";
import { causesOf } from "@cloud/runtime";
import { type Conditions, correlate } from "@cloud/runtime/telemetry";
import pg from "pg";
import { connectionSettings, type Pooler, timeLimits } from "./connection-settings.ts";
import { classifyConnectFault, classifyFault, codeOf, DatabaseUnavailable, ReadOnlyServer } from "./database-errors.ts";
import type { PoolFigures } from "./pool-metrics.ts";
import { PostgresClient } from "./postgres-client.ts";
import { sendTogether } from "./round-trip.ts";
import { runBatch, runTransaction } from "./run-transaction.ts";
import {
  type BoundStatement,
  type Log,
  type Reader,
  type Statement,
  type StatementResult,
  statement,
  type Tx,
} from "./statement.ts";
import { watchConnections } from "./watch-connections.ts";

/** The access to Postgres: `read`, through which nothing is written, and `transaction`. */
export interface Database extends Reader {
  /**
   * Runs `work` in one READ COMMITTED transaction and returns its result once COMMIT is confirmed. Rolls back when it
   * throws. `work` may run several times (deadlock, serialization failure), so all its effects must go through `tx`.
   */
  transaction<T>(work: (tx: Tx) => T | Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction that takes a single round trip, and returns their results: a program that is
   * stopped or killed meanwhile keeps no lock. Repeated like a transaction.
   */
  batch(statements: readonly BoundStatement[]): Promise<readonly StatementResult[]>;
  /** Throws DatabaseUnavailable unless the server can be reached, and accepts writes. */
  assertWritable(): Promise<void>;
  figures(): PoolFigures;
  readonly url: string;
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
  /** The limit for opening a connection, and of the wait for a free one of the pool. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  /** Raised while the login is refused or the server is read-only; absent in tests and commands. */
  conditions?: Conditions | undefined;
}

/** Opens a pool. It connects lazily, so it can be opened while the server is down. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, pooler, schema, applicationName, log } = options;
  const pooled = pooler !== undefined;
  const { connectTimeoutMs = timeLimits.connectMs, statementTimeoutMs = timeLimits.statementMs } = options;
  const session = { url, pooled, keepsStatements: pooler?.keepsStatements, schema, applicationName };
  const pool = new pg.Pool({
    Client: PostgresClient as unknown as new () => PostgresClient,
    onConnect: (client) => (client as PostgresClient).assertWritable(),
    ...connectionSettings({ ...session, connectTimeoutMs, statementTimeoutMs }),
    max: options.maxConnections ?? 10,
    idleTimeoutMillis: 30_000,
  });
  // Not for the request that opened the connection, in whose context Node emits the event.
  const onFault = (error: Error) =>
    correlate(undefined, () => log.warn({ err: error }, "a connection to Postgres was lost"));
  // An 'error' event without a listener ends the process. The pool emits the errors of idle clients, and a client in
  // use its own.
  pool.on("error", onFault); // protects: idle-client-errors
  pool.on("connect", (client) => client.on("error", onFault)); // protects: busy-client-errors
  let timeouts = 0;
  const onTimeout = () => void timeouts++;
  const watch = watchConnections(url, pooled, options.conditions);
  pool.on("connect", () => watch.onConnected());
  const withClient: WithClient = (use) => useClient(pool, use, { watch, onTimeout });
  const withClientAgain: WithClient = (use) => repeatConflicts(() => withClient(use));
  let closing: Promise<void> | undefined;
  return {
    url,
    schema,
    read: (statement, params) => withClientAgain((client) => readOnly(client, statement, params)),
    assertWritable: async () => {
      await withClient(async (client) => {
        const [result] = await sendTogether(client, [{ statement: selectReadOnly, params: [] }]);
        if ((result as StatementResult<{ readOnly: string }>).rows[0]?.readOnly !== "off") throw new ReadOnlyServer();
      });
      watch.onWritable();
    },
    transaction: (work) => withClientAgain((client) => runTransaction(client, work)),
    batch: (statements) => withClientAgain((client) => runBatch(client, statements)),
    figures: () => {
      const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool;
      return { used: totalCount - idle, idle, max: options.max, waiting, timeouts };
    },
    close: () => {
      closing ??= pool.end();
      return closing;
    },
  };
}

type PoolClient = pg.PoolClient & PostgresClient;
type WithClient = <T>(use: (client: PoolClient) => Promise<T>) => Promise<T>;

interface Observers {
  readonly watch: ReturnType<typeof watchConnections>;
  readonly onTimeout: () => void;
}

/** Runs `use` with a client of the pool. A client with a fault is destroyed instead of returned to the pool. */
async function useClient<T>(
  pool: pg.Pool,
  use: (client: PoolClient) => Promise<T>,
  { watch, onTimeout }: Observers,
): Promise<T> {
  const client = await connect(pool).catch((error: unknown) => {
    const refused = classifyConnectFault(error);
    watch.onFault(refused.cause);
    if (refused.timedOut) onTimeout();
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

/**
 * Connects. Rejects also when `pg` cannot read the certificates of the URL, which it does before it returns a promise.
 */
const connect = async (pool: pg.Pool) => (await pool.connect()) as PoolClient;

/** Reports `on` for all transactions of a standby, too. */
const selectReadOnly = statement`select current_setting('transaction_read_only') as "readOnly"`;

/**
 * Refuses writes until the round trip ends, which is a transaction of its own. A setting of the session would outlive
 * it.
 */
const refuseWrites = { statement: statement`select set_config('transaction_read_only', 'on', true)`, params: [] };

async function readOnly<Row>(
  client: PostgresClient,
  statement: Statement<Row>,
  params: readonly unknown[] = [],
): Promise<StatementResult<Row>> {
  const [, result] = await sendTogether(client, [refuseWrites, { statement, params }]); // protects: reads-cannot-write
  return result as StatementResult<Row>;
}

const maxRetries = 3;

/**
 * Repeats a read or a transaction that Postgres aborted in favour of another one (40001, 40P01): it had no effect. A
 * COMMIT whose confirmation was lost is not repeated: it may have taken effect. Throws DatabaseUnavailable after 3
 * repetitions: the database is too busy.
 */
async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (retries >= maxRetries) throw new DatabaseUnavailable(error, false);
      await wait(Math.random() * 20 * (retries + 1)); // rivals that restart at the same time would collide again
    }
  }
}

function isConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => CONFLICTS.has(codeOf(cause)));
}

const CONFLICTS = new Set(["40001", "40P01"]);
