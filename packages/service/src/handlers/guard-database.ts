import type { Authorization } from "@cloud/contract";
import type { Database, RunHeavy } from "@cloud/postgres";

/**
 * Returns the database for one call: reads pass, to find the record that the request names; transactions are refused
 * until the handler has checked what the RPC declares.
 *
 * Neither begins once `signal` is aborted: the caller has left, or its deadline has passed. The wait for a connection of
 * the pool may have taken that long. Reads that take long run by `runHeavy`.
 */
export function guardDatabase(
  db: Database,
  authorization: Pick<Authorization, "assertMayWrite">,
  signal?: AbortSignal,
  runHeavy?: RunHeavy,
): Database {
  return {
    ...db,
    runHeavy,
    read: async (statement, params) => {
      signal?.throwIfAborted();
      return await db.read(statement, params);
    },
    batch: async (statements) => {
      authorization.assertMayWrite();
      signal?.throwIfAborted();
      await db.batch(statements);
    },
    transaction: async (work) => {
      authorization.assertMayWrite();
      signal?.throwIfAborted();
      return await db.transaction(async (tx) => {
        signal?.throwIfAborted();
        return await work(tx);
      });
    },
  };
}
