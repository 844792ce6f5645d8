import type { OrganizationId } from "@cloud/contract";
import { type Database, sql, type Tx } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { Owner } from "../owners/owner.ts";
import type { ReferenceKind, Tombstone } from "../reconciler/reference-kind.ts";
import { selectTombstonesAfter } from "../reconciler/tombstone-sql.ts";
import { selectLiveOrganizationIdsAfter } from "./organization-sql.ts";

export interface OrganizationReferencesOptions {
  readonly name: string;
  readonly identity: Owner;
  /** Deletes everything in a deleted organization, as the event of its deletion does. Returns whether it was the first. */
  readonly deleteOrganization: (tx: Tx, id: OrganizationId, actor: string) => Promise<boolean>;
  /** Clears a tombstone and restores the records that were deleted with it. Returns false if it was set again. */
  readonly restoreOrganization: (tx: Tx, tombstone: Tombstone) => Promise<boolean>;
}

/** Returns the references of a service to the organizations of identity, for the reconciler. */
export function organizationReferences(
  db: Database,
  { name, identity, deleteOrganization, restoreOrganization }: OrganizationReferencesOptions,
): ReferenceKind {
  return {
    name,
    owner: identity,
    record: RecordKind.ORGANIZATION,
    inUse: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
    tombstones: (after, limit) => selectTombstonesAfter(db, sql`organizations`, after, limit),
    end: (id) => db.withTransaction((tx) => deleteOrganization(tx, id as OrganizationId, "")),
    clear: (tombstone) => db.withTransaction((tx) => restoreOrganization(tx, tombstone)),
  };
}
