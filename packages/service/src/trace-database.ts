import type { Database } from "@cloud/postgres";
import { currentCorrelation, inSpan, type Tracing } from "@cloud/telemetry";

/**
 * Returns a database whose statements and transactions are spans of the request that they run for, one each; the same one
 * while tracing is off. What runs for no request, such as
 * a pass of the reconciler, has no span.
 */
export function traceDatabase(db: Database, tracing: Tracing | undefined): Database {
  if (tracing === undefined) return db;
  const attributes = { "db.system.name": "postgresql", "db.namespace": db.schema };
  const traced = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const isOfRequest = currentCorrelation() !== undefined;
    return isOfRequest ? inSpan(tracing, { name, kind: "client", attributes }, work) : work();
  };
  return {
    ...db,
    read: (statement, params) => traced(nameOf(statement.text), () => db.read(statement, params)),
    batch: (statements) => traced("transaction", () => db.batch(statements)),
    transaction: (work) => traced("transaction", () => db.transaction(work)),
  };
}

/** Returns the first word: statements are constants, but long ones. */
function nameOf(text: string): string {
  return /[a-z]+/.exec(text)?.[0] ?? "statement";
}
