import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { deletionBatchEffect, type RecordAuthority } from "@cloud/service/references";
import { clearSelectionsOfWorkspaces } from "./selections/preferences-sql.ts";
import { upsertWorkspaceTombstones } from "./selections/workspace-reference-sql.ts";

/**
 * Returns the effect that sets the tombstones of deleted workspaces, then clears their selections. A request that is
 * selecting one of the workspaces holds the lock on its reference, so the tombstone waits for it, and its selection is
 * cleared next.
 */
export const workspaceDeleted = (workspace: RecordAuthority) =>
  deletionBatchEffect(
    WorkspaceDeletedSchema,
    { owner: workspace, kind: RecordKind.WORKSPACE, idOf: (event) => event.workspaceId },
    async (tx, events) => {
      const workspaces = events.map(({ workspaceId, organizationId }) => ({
        id: workspaceId as WorkspaceId,
        organizationId: organizationId as OrganizationId,
      }));
      await upsertWorkspaceTombstones(tx, workspaces); // protects: workspace-tombstones
      await clearSelectionsOfWorkspaces(
        tx,
        workspaces.map(({ id }) => id),
      );
    },
  );
