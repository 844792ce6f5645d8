import type { OrganizationId } from "@cloud/contract";
import { createBatchSize, type Database, type Tx } from "@cloud/postgres";
import type { Tombstone } from "../reconciler/reconcile.ts";
import { clearOrganizationTombstone, lockUnchangedTombstone } from "./organization-tombstone-sql.ts";

/** Restores the next records that were deleted with the organization, at most `most` of a kind; returns whether there may be more. */
export type RestoreNext = (tx: Tx, id: OrganizationId, most: number) => Promise<boolean>;

const BATCH = { least: 20, first: 60, most: 250 };

/**
 * Clears the tombstone of an organization that is live, and restores the records that were deleted with it, in
 * transactions of about 50 ms. The last one clears the tombstone: until then, an interruption leaves the rest to the next
 * call. Records deleted before stay deleted. Returns false if the tombstone was set again since it was read.
 */
export async function restoreOrganizationInBatches(
  db: Database,
  tombstone: Tombstone,
  restoreNext: RestoreNext,
): Promise<boolean> {
  const id = tombstone.id as OrganizationId;
  const size = createBatchSize(BATCH);
  for (;;) {
    const began = performance.now();
    const outcome = await db.transaction(async (tx) => {
      if (!(await lockUnchangedTombstone(tx, tombstone))) return "set again";
      if (await restoreNext(tx, id, size.rows)) return "more";
      await clearOrganizationTombstone(tx, id);
      return "cleared";
    });
    if (outcome !== "more") return outcome === "cleared";
    size.took(performance.now() - began);
  }
}
