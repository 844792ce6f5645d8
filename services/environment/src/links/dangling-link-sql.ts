import { statement, type Tx } from "@cloud/postgres";

const selectAfter = statement<{ id: string }>`
  select id
  from environment_connections
  where $1 = '' or id > nullif($1, '')::uuid
  order by id
  limit $2`;

const deleteDangling = statement`
  delete from environment_connections l
  where l.id = any($1) and not exists (
    select
    from environments e, connections c
    where e.id = l.environment_id and e.deleted_at is null and c.id = l.connection_id and c.deleted_at is null
  )`;

/**
 * Checks the next `limit` links after `after` (empty for the first), in the order of their ids, and deletes those with
 * a deleted end. Returns how many were deleted, and the last link checked: empty at the end of the table.
 */
export async function deleteDanglingLinksAfter(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ ended: number; last: string }> {
  const { rows: page } = await tx.query(selectAfter, [after, limit]);
  const { rowCount } = await tx.query(deleteDangling, [page.map(({ id }) => id)]);
  return { ended: rowCount ?? 0, last: page.length < limit ? "" : (page.at(-1)?.id ?? "") };
}
