import { oneRow, type Reader, type SqlText, statement } from "@cloud/postgres";

/** Counts the rows of `from`: a table, and joins and a condition if any. */
export async function countRows(db: Reader, from: SqlText, params: readonly unknown[] = []): Promise<number> {
  const text = statement<{ count: number }>`
    select count(*)::integer as count
    from ${from}`;
  return oneRow(await db.read(text, params)).count;
}
