import type pg from "pg";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { repeatConflicts } from "./repeat-conflicts.ts";
import { brand, type Tx } from "./sql.ts";
import { createTransactionStatements } from "./transaction-statements.ts";

type Work<T> = (tx: Tx) => T | Promise<T>;

/** Passes a client of the pool to `use`. */
type Lend = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/**
 * Runs `work` between BEGIN and a confirmed COMMIT; repeats it when Postgres aborted it in favour of another
 * transaction. A COMMIT whose confirmation was lost is not repeated: it may have taken effect.
 */
export function runTransaction<T>(lend: Lend, work: Work<T>): Promise<T> {
  return repeatConflicts(() => lend((client) => attempt(client, work)));
}

async function attempt<T>(client: pg.PoolClient, work: Work<T>): Promise<T> {
  const { query, queue, commit, abandon } = createTransactionStatements(client);
  const tx: Tx = { [brand]: "tx", query: query as Tx["query"], queue };
  try {
    const result = await work(tx);
    await commit();
    return result;
  } catch (error) {
    const hasBegun = await abandon();
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    if (hasBegun) await rollBack(client);
    throw error;
  }
}

/** Rolls back. A failure is thrown as DatabaseUnavailable, so that the client does not return to the pool. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => {
    const fault = classifyFault(error);
    throw fault instanceof DatabaseUnavailable ? fault : new DatabaseUnavailable(error, false);
  });
}
