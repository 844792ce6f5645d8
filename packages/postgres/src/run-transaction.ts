import type pg from "pg";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { repeatConflicts } from "./repeat-conflicts.ts";
import { brand, type Tx } from "./sql.ts";
import { createTransactionStatements } from "./transaction-statements.ts";

/** Where transactions run. */
export interface TransactionPlace {
  readonly url: string;
  readonly schema: string;
  readonly lend: Lend;
}

type Work<T> = (tx: Tx) => T | Promise<T>;

type Lend = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/**
 * Runs `work` between BEGIN and a confirmed COMMIT; repeats it when Postgres aborted it in favour of another
 * transaction. A COMMIT whose confirmation was lost is not repeated: it may have taken effect.
 */
export function runTransaction<T>(place: TransactionPlace, work: Work<T>): Promise<T> {
  return repeatConflicts(() => place.lend((client) => attempt(place, client, work)));
}

async function attempt<T>(place: TransactionPlace, client: pg.PoolClient, work: Work<T>): Promise<T> {
  const { url, schema } = place;
  const { query, queue, commit, abandon } = createTransactionStatements(client);
  const onCommit: (() => void)[] = [];
  const tx: Tx = {
    [brand]: "tx",
    url,
    schema,
    query: query as Tx["query"],
    queue: queue as Tx["queue"],
    afterCommit: (act) => void onCommit.push(act),
  };
  let result: T;
  try {
    result = await work(tx);
    await commit();
  } catch (error) {
    const hasBegun = await abandon();
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    if (hasBegun) await rollBack(client);
    throw error;
  }
  for (const act of onCommit) act();
  return result;
}

/** Rolls back. A failure is thrown as DatabaseUnavailable, so that the client does not return to the pool. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => {
    const fault = classifyFault(error);
    throw fault instanceof DatabaseUnavailable ? fault : new DatabaseUnavailable(error, false);
  });
}
