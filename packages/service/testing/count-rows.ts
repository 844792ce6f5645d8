import { oneRow, type Sql, type SqlText, sql } from "@cloud/postgres";

/** Counts the rows of `from`: a table, and joins and a condition if any. */
export async function countRows(db: Sql, from: SqlText, params: readonly unknown[] = []): Promise<number> {
  const text = sql`
    select count(*)::integer as count
    from ${from}`;
  return oneRow(await db.query<{ count: number }>(text, params)).count;
}
