import type { Authorization } from "@cloud/contract";
import type { Database, RunHeavy } from "@cloud/postgres";

/** The first word of a statement that only reads, unless it changes rows within a `with`. */
const READS = /^\s*(select|with)\b/i;
const CHANGES = /\b(insert\s+into|delete\s+from|merge\s+into|update\s+\w+\s+(as\s+\w+\s+)?set)\b/i;

/**
 * Returns the database for one call: reads pass, to find the record that the request names; transactions and statements
 * that write are refused until the handler has checked what the RPC declares.
 *
 * A read or a transaction does not begin once `signal` is aborted: the caller has left, or its deadline has passed. The
 * wait for a connection of the pool may have taken that long. A single statement that writes still runs: it records the
 * failure of the call. Its reads that take long run by `runHeavy`.
 */
export function guardDatabase(
  db: Database,
  authorization: Pick<Authorization, "assertMayWrite">,
  signal: AbortSignal,
  runHeavy?: RunHeavy,
): Database {
  return {
    ...db,
    runHeavy,
    query: async (text, params) => {
      if (isReading(text)) signal.throwIfAborted();
      else authorization.assertMayWrite();
      return await db.query(text, params);
    },
    withTransaction: async (work) => {
      authorization.assertMayWrite();
      signal.throwIfAborted();
      return await db.withTransaction(async (tx) => {
        signal.throwIfAborted();
        return await work(tx);
      });
    },
  };
}

/** Remembered, because the statement of a list has over 1,000 characters. The code has a few hundred statements. */
const reading = new Map<string, boolean>();

function isReading(text: string): boolean {
  const known = reading.get(text) ?? (READS.test(text) && !CHANGES.test(text));
  reading.set(text, known);
  return known;
}
