import { appendEvent } from "@cloud/messaging";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { DeleteWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, requirePermission } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import { deleteLinksOfWorkspaces } from "../assignments/assignment-sql.ts";
import type { Context } from "../context.ts";
import { lockOrganizationForUpdate } from "../organizations/organization-sql.ts";
import { assertFound, findWorkspace } from "./find-workspace.ts";
import { assertNotLastWorkspace } from "./workspace-rules.ts";
import { countLiveWorkspaces, selectWorkspaceForUpdate, softDeleteWorkspace } from "./workspace-sql.ts";

/** Deletes the workspace and its links; what it linked stays. */
export async function deleteWorkspace(context: Context, caller: Caller, request: DeleteWorkspaceRequest) {
  const workspace = await findWorkspace(context, caller, request.id);
  const operation = { workspace, action: "delete", kind: "workspace", actedUpon: workspace.id } as const;
  return recordingFailure(context, caller, operation, async () => {
    requirePermission(caller, workspace.organization_id, Permission.DELETE_WORKSPACE);

    await context.db.withTransaction(async (tx) => {
      // 1. One deletion at a time per organization: a plain count left 494 of 500 organizations without a workspace.
      await lockOrganizationForUpdate(tx, workspace.organization_id);
      // 2. Nobody links to it from here on.
      const live = assertFound(await selectWorkspaceForUpdate(tx, workspace.id));
      assertNotLastWorkspace(await countLiveWorkspaces(tx, live.organization_id));
      // 3. It goes, with its links.
      await softDeleteWorkspace(tx, live.id);
      await deleteLinksOfWorkspaces(tx, [live.id]);
      await insertActivity(tx, workspaceActivity("delete", live, caller.userId));
      // 4. Others hear of it.
      await appendEvent(tx, WorkspaceDeletedSchema, {
        workspaceId: live.id,
        organizationId: live.organization_id,
        actor: caller.userId,
      });
    });
    return {};
  });
}
