import type { OrganizationId } from "@cloud/contract";
import { type Database, sql } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { Owner } from "../owners/owner.ts";
import type { ReferenceKind } from "../reconciler/reference-kind.ts";
import { selectTombstonesAfter } from "../reconciler/tombstone-sql.ts";
import { type DeleteNext, deleteOrganizationInBatches } from "./delete-organization.ts";
import { selectLiveOrganizationIdsAfter } from "./organization-sql.ts";
import { type RestoreNext, restoreOrganizationInBatches } from "./restore-organization.ts";

export interface OrganizationReferencesOptions {
  readonly name: string;
  readonly identity: Owner;
  /** Deletes the next records of an organization, as the event of its deletion does. */
  readonly deleteNext: DeleteNext;
  readonly restoreNext: RestoreNext;
}

/** Returns the references of a service to the organizations of identity, for the reconciler. */
export function organizationReferences(
  db: Database,
  { name, identity, deleteNext, restoreNext }: OrganizationReferencesOptions,
): ReferenceKind {
  return {
    name,
    owner: identity,
    record: RecordKind.ORGANIZATION,
    inUse: (after, limit) => selectLiveOrganizationIdsAfter(db, after, limit),
    tombstones: (after, limit) => selectTombstonesAfter(db, sql`organizations`, after, limit),
    end: (id) => deleteOrganizationInBatches(db, { id: id as OrganizationId, actor: "" }, deleteNext),
    clear: (tombstone) => restoreOrganizationInBatches(db, tombstone, restoreNext),
  };
}
