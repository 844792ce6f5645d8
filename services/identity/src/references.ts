import type { WorkspaceId } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { Owner, ReferenceKind } from "@cloud/service";
import { clearSelectionsOfWorkspaces, selectSelectedWorkspaceIdsAfter } from "./selections/preferences-sql.ts";
import {
  clearWorkspaceTombstone,
  selectWorkspaceTombstonesAfter,
  setWorkspaceTombstone,
} from "./selections/workspace-reference-sql.ts";

export interface Owners {
  readonly workspace: Owner;
}

/** Returns the kinds of references that this service keeps to records of other services, for the reconciler. */
export function referencesOf(db: Database, { workspace }: Owners): ReferenceKind[] {
  return [
    {
      name: "preferences-workspace",
      owner: workspace,
      record: RecordKind.WORKSPACE,
      inUse: (after, limit) => selectSelectedWorkspaceIdsAfter(db, after, limit),
      tombstones: (after, limit) => selectWorkspaceTombstonesAfter(db, after, limit),
      // The tombstone first, as in the effect of the event: it waits for a request that is selecting the workspace, and
      // the selection is cleared next.
      end: (id) =>
        db.transaction(async (tx) => {
          await setWorkspaceTombstone(tx, id as WorkspaceId);
          return await clearSelectionsOfWorkspaces(tx, [id as WorkspaceId]);
        }),
      clear: (tombstone) => clearWorkspaceTombstone(db, tombstone),
    },
  ];
}
