import { type Database, openDatabase } from "@cloud/postgres";
import { testTelemetry } from "@cloud/testkit";
import { type Rewrite, rewriting } from "@cloud/testkit/races";

/** The largest race, 32 concurrent transactions, fits. */
const CONNECTIONS = 40;

/** Opens a pool for races on the same database as `db`. */
export function openRaceDatabase(db: Database): Database {
  const { log } = testTelemetry();
  // A run has many races. On a busy machine, some wait for a connection or a lock for a long time.
  const patience = { connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 };
  return openDatabase({ ...db, applicationName: "races", log, maxConnections: CONNECTIONS, ...patience });
}

/** Returns the database with the statements of its transactions changed. */
export function rewritingTransactions(db: Database, rewrite: Rewrite): Database {
  return { ...db, transaction: (work) => db.transaction((tx) => work(rewriting(tx, rewrite))) };
}
