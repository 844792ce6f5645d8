import type { Database } from "@cloud/postgres";
import { sql, type Tx } from "@cloud/postgres";
import type { Pass } from "../reconciler/passes.ts";

/** Links of one transaction: they take 30 ms. */
const AT_ONCE = 10_000;

/**
 * Deletes the copies that no call has used for a week: their workspaces may be deleted, and the others are copied again
 * when a call needs them. Replicas may run it concurrently. Returns how many links it has deleted.
 */
export async function deleteUnusedCopies(db: Pick<Database, "withTransaction">): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await db.withTransaction(deleteSome);
    if (deleted === undefined) return total;
    total += deleted;
  }
}

/** Repeats `deleteUnusedCopies`. */
export function createCopiesPass(db: Pick<Database, "withTransaction">): Pass {
  return { name: "unused-link-copies", run: async () => void (await deleteUnusedCopies(db)) };
}

/** Deletes links of one unused copy, and the copy with its last link. Returns undefined if there is none. */
async function deleteSome(tx: Tx): Promise<number | undefined> {
  // -1 is the count of no workspace: a call that comes before the last link is deleted copies them all again.
  const claim = sql`
    update link_copies
    set links = -1
    where workspace_id = (
      select workspace_id
      from link_copies
      where used_at < now() - interval '7 days'
      order by used_at
      limit 1
      for update skip locked
    )
    returning workspace_id`;
  const [copy] = (await tx.query<{ workspace_id: string }>(claim)).rows;
  if (copy === undefined) return undefined;
  const remove = sql`
    delete from copied_links
    where workspace_id = $1 and record_id = any(array(
      select record_id
      from copied_links
      where workspace_id = $1
      limit $2
    ))`;
  const { rowCount } = await tx.query(remove, [copy.workspace_id, AT_ONCE]);
  const forget = sql`
    delete from link_copies
    where workspace_id = $1`;
  if ((rowCount ?? 0) < AT_ONCE) await tx.query(forget, [copy.workspace_id]);
  return rowCount ?? 0;
}
