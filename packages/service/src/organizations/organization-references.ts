import type { OrganizationId } from "@cloud/contract";
import { type Database, sql } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { Owner } from "../owners/owner.ts";
import type { ReferenceKind } from "../reconciler/reconcile.ts";
import { selectTombstonesAfter } from "../reconciler/tombstone-sql.ts";
import { deleteOrganizationInBatches, type NextDeletion } from "./delete-organization.ts";
import { selectLiveOrganizationIdsAfter } from "./organization-sql.ts";
import { type RestoreNext, restoreOrganizationInBatches } from "./restore-organization.ts";

export interface OrganizationReferencesOptions {
  readonly name: string;
  readonly identity: Owner;
  /** Reads the next records of an organization to delete, as the event of its deletion does. */
  readonly nextDeletion: NextDeletion;
  readonly restoreNext: RestoreNext;
}

/** Returns the references of a service to the organizations of identity, for the reconciler. */
export function organizationReferences(
  db: Database,
  { name, identity, nextDeletion, restoreNext }: OrganizationReferencesOptions,
): ReferenceKind {
  return {
    name,
    owner: identity,
    record: RecordKind.ORGANIZATION,
    inUse: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
    tombstones: (after, limit) => selectTombstonesAfter(db, sql`organizations`, after, limit),
    end: (id) => deleteOrganizationInBatches(db, { id: id as OrganizationId, actor: "" }, nextDeletion),
    clear: (tombstone) => restoreOrganizationInBatches(db, tombstone, restoreNext),
  };
}
