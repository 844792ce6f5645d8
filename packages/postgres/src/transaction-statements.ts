import type pg from "pg";
import { classifyFault } from "./database-unavailable.ts";
import { preparedName } from "./prepared.ts";
import { type Statement, sendTogether } from "./round-trip.ts";
import { type SqlText, sql } from "./sql-text.ts";
import type { StatementResult } from "./statement-result.ts";

/** The statements of one transaction, sent in as few round trips as their caller allows. */
export interface TransactionStatements {
  query(text: SqlText, params?: readonly unknown[]): Promise<StatementResult>;
  queue(text: SqlText, params?: readonly unknown[]): void;
  /** Refuses further statements, and sends COMMIT with those that wait. @throws the error of a queued one. */
  commit(): Promise<void>;
  /** Refuses further statements and drops those that wait. Returns whether the transaction has to be rolled back. */
  abandon(): Promise<boolean>;
}

/**
 * Statements wait until the previous round trip is over; the first one takes BEGIN with it. A round trip is one write
 * and one read here and in Postgres: with one for each of its nine statements, `writev` alone was 38 % of the processor
 * time of the service that assigns a team.
 */
export function createTransactionStatements(client: pg.PoolClient): TransactionStatements {
  let waiting: Statement[] = [statement(begin)];
  let hasBegun = false;
  let isOver = false;
  let isDue = false;
  let last = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const onQueuedFailure = (error: unknown) => {
    failure ??= { error };
  };

  const send = (): Promise<void> => {
    isDue = false;
    hasBegun = true;
    const statements = waiting;
    waiting = [];
    return sendTogether(client, statements);
  };
  /** Returns the result of a statement, which is sent with those that wait. */
  const run = (text: SqlText, params?: readonly unknown[]): Promise<StatementResult> => {
    const result = new Promise<StatementResult>((resolve, reject) => {
      waiting.push(statement(text, params, resolve, (error) => reject(classifyFault(error))));
    });
    if (!isDue) last = last.then(send);
    isDue = true;
    return result;
  };
  const end = async () => {
    isOver = true;
    await last;
  };
  const refusal = () => new Error("the transaction is over");

  return {
    query: (text, params) => (isOver ? Promise.reject(refusal()) : run(text, params)),
    queue: (text, params) => {
      if (isOver) throw refusal();
      waiting.push(statement(text, params, undefined, onQueuedFailure));
    },
    commit: async () => {
      await end();
      if (failure !== undefined) throw failure.error;
      const { command } = await run(sql`commit`);
      // After an SQL error that `work` swallowed, COMMIT succeeds, but rolls back and reports ROLLBACK.
      if (command !== "COMMIT") throw new Error("the transaction was rolled back: it swallowed an SQL error");
    },
    abandon: async () => {
      await end();
      return hasBegun;
    },
  };
}

/** Names the level: the session's may be another one, which a database or a role was set to. */
const begin = sql`begin isolation level read committed`;

function statement(
  text: SqlText,
  params: readonly unknown[] = [],
  resolve: Statement["resolve"] = () => undefined,
  reject: Statement["reject"] = () => undefined,
): Statement {
  return { name: preparedName(text), text, params, resolve, reject };
}
