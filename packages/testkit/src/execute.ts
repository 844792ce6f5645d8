import {
  type Database,
  plannedEachTime,
  type SqlText,
  type Statement,
  type StatementResult,
  type Tx,
} from "@cloud/postgres";
import pg from "pg";

/** Returns the result of a statement, which is a transaction of its own unless it is sent to one. */
export function execute<Row = Record<string, unknown>>(
  db: Pick<Database, "transaction"> | Pick<Tx, "query">,
  given: Statement<Row> | SqlText,
  params: readonly unknown[] = [],
): Promise<StatementResult<Row>> {
  const statement = typeof given === "string" ? plannedEachTime<Row>(given) : given;
  return "query" in db ? db.query(statement, params) : db.transaction((tx) => tx.query(statement, params));
}

/** Returns a database whose transactions are part of `tx`. */
export const within = (tx: Tx): Pick<Database, "transaction"> => ({ transaction: async (work) => await work(tx) });

/** Runs what is no part of a transaction, such as VACUUM. */
export async function maintain({ url, schema }: Pick<Database, "url" | "schema">, text: SqlText): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
