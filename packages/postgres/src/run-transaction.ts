import { classifyFault, DatabaseUnavailable } from "./database-errors.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { sendTogether } from "./round-trip.ts";
import { type BoundStatement, brand, type Statement, type StatementResult, statement, type Tx } from "./statement.ts";

type Work<T> = (tx: Tx) => T | Promise<T>;

/** Runs `work` between BEGIN and a confirmed COMMIT. */
export async function runTransaction<T>(client: PostgresClient, work: Work<T>): Promise<T> {
  /** The round trip of BEGIN, and of the first statement. */
  let begun: Promise<readonly StatementResult[]> | undefined;
  let isOver = false;
  const last: BoundStatement[] = [];
  const send = async (sent: BoundStatement): Promise<StatementResult | undefined> => {
    if (begun === undefined) {
      begun = sendTogether(client, [begin, sent]);
      return (await begun)[1];
    }
    await begun; // after a BEGIN that failed, a statement would commit by itself
    return (await sendTogether(client, [sent]))[0];
  };
  const query = async <Row>(statement: Statement<Row>, params: readonly unknown[] = []) => {
    if (isOver) throw new Error("the transaction is over");
    try {
      return (await send({ statement, params })) as StatementResult<Row>;
    } catch (error) {
      throw classifyFault(error);
    }
  };
  const atCommit = (...statements: readonly BoundStatement[]) => {
    if (isOver) throw new Error("the transaction is over");
    last.push(...statements);
  };
  try {
    const result = await work({ [brand]: "tx", query, read: query, atCommit });
    isOver = true;
    const committed = end(client, begun, last); // protects: confirmed-commit
    // After an SQL error that `work` swallowed, COMMIT succeeds, but rolls back and reports ROLLBACK.
    if ((await committed).command !== "COMMIT") {
      throw new Error("the transaction was rolled back: it swallowed an SQL error");
    }
    return result;
  } catch (error) {
    isOver = true;
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    if (begun !== undefined) await rollBack(client);
    throw error;
  }
}

/** Sends the last statements and COMMIT in one round trip, with BEGIN if there was no statement before. */
async function end(
  client: PostgresClient,
  begun: Promise<unknown> | undefined,
  last: readonly BoundStatement[],
): Promise<StatementResult> {
  await begun; // after a BEGIN that failed, a statement would commit by itself
  const ending = [...(begun === undefined ? [begin] : []), ...last, { statement: commit, params: [] }];
  return (await sendTogether(client, ending)).at(-1) as StatementResult;
}

/** Sends BEGIN, the statements and COMMIT in one round trip. Returns the results of the statements. */
export async function runBatch(
  client: PostgresClient,
  statements: readonly BoundStatement[],
): Promise<readonly StatementResult[]> {
  try {
    // protects: round-trips
    const results = await sendTogether(client, [begin, ...statements, { statement: commit, params: [] }]);
    return results.slice(1, -1);
  } catch (error) {
    const fault = classifyFault(error);
    if (!(fault instanceof DatabaseUnavailable)) await rollBack(client);
    throw fault;
  }
}

/** Begins with a named level: the session's may be another one, which a database or a role was set to. */
const begin = { statement: statement`begin isolation level read committed`, params: [] };
const commit = statement`commit`;

/** Rolls back. A failure is thrown as DatabaseUnavailable, so that the client does not return to the pool. */
async function rollBack(client: PostgresClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => {
    const fault = classifyFault(error);
    throw fault instanceof DatabaseUnavailable ? fault : new DatabaseUnavailable(error, false);
  });
}
