import { classifyFault, DatabaseUnavailable } from "./database-errors.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { sendTogether } from "./round-trip.ts";
import { type BoundStatement, brand, type Statement, type StatementResult, statement, type Tx } from "./statement.ts";

type Work<T> = (tx: Tx) => T | Promise<T>;

/** Runs `work` between BEGIN and a confirmed COMMIT. */
export async function runTransaction<T>(client: PostgresClient, work: Work<T>): Promise<T> {
  const transaction = new Transaction(client);
  try {
    const result = await work(transaction.tx);
    await transaction.commit();
    return result;
  } catch (error) {
    const hasBegun = transaction.abandon();
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // this client is destroyed, which rolls back
    if (hasBegun) await rollBack(client);
    throw error;
  }
}

/** Sends BEGIN, the statements and COMMIT in one round trip. */
export async function runBatch(client: PostgresClient, statements: readonly BoundStatement[]): Promise<void> {
  try {
    await sendTogether(client, [begin, ...statements, { statement: commit, params: [] }]); // protects: round-trips
  } catch (error) {
    const fault = classifyFault(error);
    if (!(fault instanceof DatabaseUnavailable)) await rollBack(client);
    throw fault;
  }
}

/** Begins with a named level: the session's may be another one, which a database or a role was set to. */
const begin = { statement: statement`begin isolation level read committed`, params: [] };
const commit = statement`commit`;

class Transaction {
  readonly #client: PostgresClient;
  /** The round trip of BEGIN, and of the first statement. */
  #begun: Promise<readonly StatementResult[]> | undefined;
  #isOver = false;

  readonly tx: Tx;

  constructor(client: PostgresClient) {
    this.#client = client;
    const query: Tx["query"] = (statement, params) => this.#query(statement, params);
    this.tx = { [brand]: "tx", query, read: query };
  }

  async #query<Row>(statement: Statement<Row>, params: readonly unknown[] = []): Promise<StatementResult<Row>> {
    if (this.#isOver) throw new Error("the transaction is over");
    const sent = { statement, params };
    try {
      if (this.#begun === undefined) {
        this.#begun = sendTogether(this.#client, [begin, sent]);
        return (await this.#begun)[1] as StatementResult<Row>;
      }
      await this.#begun; // after a BEGIN that failed, a statement would commit by itself
      return (await sendTogether(this.#client, [sent]))[0] as StatementResult<Row>;
    } catch (error) {
      throw classifyFault(error);
    }
  }

  async commit(): Promise<void> {
    const committed = this.#query(commit); // protects: confirmed-commit
    this.#isOver = true;
    // After an SQL error that `work` swallowed, COMMIT succeeds, but rolls back and reports ROLLBACK.
    if ((await committed).command !== "COMMIT") {
      throw new Error("the transaction was rolled back: it swallowed an SQL error");
    }
  }

  /** Refuses further statements, and returns whether there is something to roll back. */
  abandon(): boolean {
    this.#isOver = true;
    return this.#begun !== undefined;
  }
}

/** Rolls back. A failure is thrown as DatabaseUnavailable, so that the client does not return to the pool. */
async function rollBack(client: PostgresClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => {
    const fault = classifyFault(error);
    throw fault instanceof DatabaseUnavailable ? fault : new DatabaseUnavailable(error, false);
  });
}
