import { sql, type Tx } from "@cloud/postgres";
import type { Tombstone } from "../reconciler/reference-kind.ts";

/**
 * Clears a tombstone unless it was set again since it was read; the row stays locked until `tx` ends. Returns when it
 * had been set, which is also when the organization's records were deleted with it; undefined if it was not cleared.
 */
export async function clearOrganizationTombstone(tx: Tx, { id, version }: Tombstone): Promise<Date | undefined> {
  const select = sql`
    select deleted_at
    from organizations
    where id = $1 and xmin = $2::text::xid and deleted_at is not null
    for update`;
  const { rows } = await tx.query<{ deleted_at: Date }>(select, [id, version]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const update = sql`
    update organizations
    set deleted_at = null
    where id = $1`;
  await tx.query(update, [id]);
  return row.deleted_at;
}
