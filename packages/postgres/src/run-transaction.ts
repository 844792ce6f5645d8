import type pg from "pg";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { send } from "./prepared.ts";
import { repeatConflicts } from "./repeat-conflicts.ts";
import { brand, type Tx } from "./sql.ts";
import type { SqlText } from "./sql-text.ts";

/** Where transactions run. */
export interface TransactionPlace {
  readonly url: string;
  readonly schema: string;
  readonly lend: Lend;
}

type Lend = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

/**
 * Runs `work` between BEGIN and a confirmed COMMIT; repeats it when Postgres aborted it in favour of another
 * transaction. A COMMIT whose confirmation was lost is not repeated: it may have taken effect.
 */
export function runTransaction<T>(place: TransactionPlace, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeatConflicts(() => place.lend((client) => attempt(place, client, work)));
}

async function attempt<T>(place: TransactionPlace, client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { tx, finish, onCommit } = createTx(place, client);
  await client.query("begin");
  let result: T;
  try {
    result = await work(tx);
    await finish();
    const { command } = await client.query("commit");
    // After an SQL error that `work` swallowed, COMMIT succeeds, but rolls back and reports ROLLBACK.
    if (command !== "COMMIT") throw new Error("the transaction was rolled back: it swallowed an SQL error");
  } catch (error) {
    await finish();
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    await rollBack(client);
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

/** Creates a Tx that runs its statements one by one (pg warns when they overlap) and refuses any after `finish`. */
function createTx({ url, schema }: TransactionPlace, client: pg.PoolClient) {
  const onCommit: (() => void)[] = [];
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: SqlText, params?: readonly unknown[]) => {
    if (over) return Promise.reject(new Error("the transaction is over"));
    const result = last.then(() => send(client, text, params));
    last = result.catch(() => undefined);
    return result.catch((error: unknown) => {
      throw classifyFault(error);
    });
  };
  const finish = async () => {
    over = true;
    await last;
  };
  const tx: Tx = {
    [brand]: "tx",
    url,
    schema,
    query: query as Tx["query"],
    afterCommit: (act) => void onCommit.push(act),
  };
  return { tx, finish, onCommit };
}
