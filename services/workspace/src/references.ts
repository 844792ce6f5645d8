import type { Id } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { type Owner, organizationReferences, type ReferenceKind } from "@cloud/service";
import { nextDeletion } from "./consumers/delete-organization.ts";
import { restoreNextOfOrganization as restoreNext } from "./consumers/restore-organization.ts";
import { selectLinkedIdsAfter } from "./links/assignment-sql.ts";
import { type ReferenceKind as ResourceKind, selectReferenceTombstonesAfter } from "./links/reference-sql.ts";
import { restoreReference } from "./links/restore-reference.ts";
import { unlinkResources } from "./links/unlink-resources.ts";

export interface Owners {
  readonly identity: Owner;
  readonly environment: Owner;
}

/** Returns the kinds of references that this service keeps to records of other services, for the reconciler. */
export function referencesOf(db: Database, { identity, environment }: Owners): ReferenceKind[] {
  const linked = (kind: ResourceKind) => ({
    inUse: (after: string, limit: number) => selectLinkedIdsAfter(db, kind, after, limit),
    tombstones: (after: string, limit: number) => selectReferenceTombstonesAfter(db, kind, after, limit),
    end: async (id: string) =>
      (await db.transaction((tx) => unlinkResources(tx, kind, [{ id: id as Id, actor: "" }]))) > 0,
    clear: (tombstone: Parameters<ReferenceKind["clear"]>[0]) =>
      db.transaction((tx) => restoreReference(tx, kind, tombstone)),
  });
  return [
    { name: "workspace-team", owner: identity, record: RecordKind.TEAM, ...linked("team") },
    { name: "workspace-environment", owner: environment, record: RecordKind.ENVIRONMENT, ...linked("environment") },
    organizationReferences(db, { name: "workspace-organization", identity, nextDeletion, restoreNext }),
  ];
}
