import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { classifyFault, codeOf, DatabaseUnavailable } from "./database-unavailable.ts";
import { brand, type Tx } from "./sql.ts";

type Lend = <T>(use: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

const maxRetries = 3;

/**
 * Runs `work` between BEGIN and a COMMIT that was confirmed; repeats it when Postgres aborted it for the sake of another
 * (40001, 40P01). A COMMIT whose answer was lost is not repeated: it may have taken effect.
 */
export async function runTransaction<T>(lend: Lend, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await lend((client) => attempt(client, work));
    } catch (error) {
      if (retries >= maxRetries || !isConflict(error)) throw error;
      await wait(Math.random() * 20 * (retries + 1)); // rivals that start again together would collide again
    }
  }
}

async function attempt<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { tx, finish } = createTx(client);
  await client.query("begin");
  try {
    const result = await work(tx);
    await finish();
    const { command } = await client.query("commit");
    // After an SQL error that `work` swallowed, COMMIT succeeds, rolls back and says so.
    if (command !== "COMMIT") throw new Error("the transaction was rolled back: it swallowed an SQL error");
    return result;
  } catch (error) {
    await finish();
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    await client.query("rollback"); // when this fails, its fault is what the caller needs to know
    throw error;
  }
}

/** A Tx that runs its statements one after another (pg warns when they overlap) and refuses any after `finish`. */
function createTx(client: pg.PoolClient): { tx: Tx; finish: () => Promise<void> } {
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string, params?: readonly unknown[]) => {
    if (over) return Promise.reject(new Error("the transaction is over"));
    const result = last.then(() => client.query(text, params as unknown[]));
    last = result.catch(() => undefined);
    return result.catch((error: unknown) => {
      throw classifyFault(error);
    });
  };
  const finish = async () => {
    over = true;
    await last;
  };
  return { tx: { [brand]: "tx", query: query as Tx["query"] }, finish };
}

function isConflict(error: unknown): boolean {
  for (let link = error; link; link = (link as Partial<Error>).cause) {
    const code = codeOf(link);
    if (code === "40001" || code === "40P01") return true;
  }
  return false;
}
