import { sql, type Tx } from "@cloud/postgres";

/**
 * Checks the next `limit` links after `after` (empty for the first), in the order of their ids, and deletes those with
 * a deleted end. Returns how many were deleted, and the last link checked: empty at the end of the table.
 */
export async function deleteDanglingLinksAfter(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ ended: number; last: string }> {
  const select = sql`
    select id
    from environment_connections
    where $1 = '' or id > nullif($1, '')::uuid
    order by id
    limit $2`;
  const { rows: page } = await tx.query<{ id: string }>(select, [after, limit]);
  const remove = sql`
    delete from environment_connections l
    where l.id = any($1) and not exists (
      select
      from environments e, connections c
      where e.id = l.environment_id and e.deleted_at is null and c.id = l.connection_id and c.deleted_at is null
    )`;
  const { rowCount } = await tx.query(remove, [page.map(({ id }) => id)]);
  return { ended: rowCount ?? 0, last: page.length < limit ? "" : (page.at(-1)?.id ?? "") };
}
