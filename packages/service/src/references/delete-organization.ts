import type { OrganizationId } from "@cloud/access/values";
import type { BoundStatement, Database, Reader, Tx } from "@cloud/postgres";
import { isChanged } from "../records/soft-deletes-sql.ts";
import {
  clearOrganizationTombstone,
  lockUnchangedTombstone,
  organizationTombstoneLock,
  selectHasTombstone,
  upsertOrganizationTombstone,
} from "./organization-sql.ts";
import type { Tombstone } from "./references-sql.ts";

/** An organization that was deleted, and the user who deleted it: empty for the system. */
export interface DeletedOrganization {
  readonly id: OrganizationId;
  readonly actor: string;
}

/** The next records to delete. */
export interface DeletionBatch {
  /**
   * The statements that delete the records, in one transaction. They run after the lock of the organization's row. The
   * time of its tombstone is the time of the records' deletion.
   */
  readonly statements: readonly BoundStatement[];
  readonly hasMore: boolean;
}

/** Reads the next records of the organization, at most `max` of a kind, without locks. */
export type NextDeletion = (db: Reader, organization: DeletedOrganization, max: number) => Promise<DeletionBatch>;

/** Records of a kind in a transaction. A record takes about 0.1 ms, with its event and its line of the log. */
const BATCH = 100; // protects: deletion-batches

/** Failures in a row because others change the same records. Records are not created any more, so changes run out. */
const MAX_CHANGES = 10;

/**
 * Deletes everything in an organization, in transactions of 100 records of a kind, so that no lock is held for long. In
 * a single transaction, 10,000 environments took 2.9 s, and 100,000 records more than a statement may. The tombstone is
 * set first, after which no record is created in the organization. A process that is killed leaves the rest to the next
 * call. Only live records change, so that a second call changes nothing.
 *
 * The records of a transaction are read before, and its statements are sent as a whole: with a round trip for each
 * statement, a program that was killed or had just started held its locks for up to 1.6 s.
 *
 * Returns whether there was no tombstone before. @throws Error if the tombstone is cleared meanwhile
 */
export async function deleteOrganizationInBatches(
  db: Database,
  organization: DeletedOrganization,
  readNext: NextDeletion,
): Promise<boolean> {
  const isNew = await db.transaction((tx) => upsertOrganizationTombstone(tx, organization.id));
  for (let [hasMore, changes] = [true, 0]; hasMore; ) {
    const batch = await readNext(db, organization, BATCH);
    if (await applyBatch(db, organization, batch)) {
      ({ hasMore } = batch);
      changes = 0;
    } else if (++changes === MAX_CHANGES) {
      throw new Error("the records of the organization changed while they were deleted");
    }
  }
  return isNew;
}

/** Deletes a batch. Returns false, having changed nothing, if others have changed the records since they were read. */
async function applyBatch(db: Database, { id }: DeletedOrganization, { statements }: DeletionBatch): Promise<boolean> {
  try {
    await db.batch([organizationTombstoneLock(id), ...statements]);
    return true;
  } catch (error) {
    if (!isChanged(error)) throw error;
    // The owner is asked again.
    if (!(await selectHasTombstone(db, id))) {
      throw new Error("the tombstone of the organization was cleared while its records were deleted", { cause: error });
    }
    return false;
  }
}

/**
 * Restores the next records that were deleted with the organization, at most `max` of a kind; returns whether there
 * may be more.
 */
export type RestoreNext = (tx: Tx, id: OrganizationId, max: number) => Promise<boolean>;

/**
 * Clears the tombstone of an organization that is live, and restores the records that were deleted with it, in
 * transactions of as many. The last one clears the tombstone: until then, an interruption leaves the rest to the
 * next call. Records deleted before stay deleted. Returns false if the tombstone was set again since it was read.
 */
export async function restoreOrganizationInBatches(
  db: Database,
  tombstone: Tombstone,
  restoreNext: RestoreNext,
): Promise<boolean> {
  const id = tombstone.id as OrganizationId;
  for (;;) {
    const outcome = await db.transaction(async (tx) => {
      if (!(await lockUnchangedTombstone(tx, tombstone))) return "set again";
      if (await restoreNext(tx, id, BATCH)) return "more";
      await clearOrganizationTombstone(tx, id);
      return "cleared";
    });
    if (outcome !== "more") return outcome === "cleared";
  }
}
