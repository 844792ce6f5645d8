import type { Query } from "../../../test/chaos/system/system-databases.ts";

/** Drops an index, and creates it again after `fill`: rows that are inserted one by one cost it 20 times as much. */
export async function withoutIndex(query: Query, index: string, fill: () => Promise<void>): Promise<void> {
  const [row] = await query<{ definition: string }>("select pg_get_indexdef($1::regclass) as definition", [index]);
  const definition = row?.definition;
  if (definition === undefined) throw new Error(`there is no index ${index}`);
  await query(`drop index ${index}`);
  await fill();
  await query(definition);
}
