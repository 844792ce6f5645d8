import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { DeleteWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { deleteLinksOfWorkspaces } from "../links/sql.ts";
import { lockOrganizationForUpdate } from "../organizations/sql.ts";
import { findWorkspace } from "./require-workspace.ts";
import { assertNotLastWorkspace } from "./rules.ts";
import { countLiveWorkspaces, selectWorkspaceForUpdate, softDeleteWorkspace } from "./sql.ts";

/** Soft-deletes the workspace and deletes its links; the linked resources stay. */
export async function deleteWorkspace(context: Context, caller: Caller, request: DeleteWorkspaceRequest) {
  const workspace = orThrow(await findWorkspace(context, caller, request.id), Reason.WORKSPACE_NOT_FOUND);
  const operation = { workspace, action: "delete", kind: "workspace", actedUpon: workspace.id } as const;
  return recordingFailure(context, caller, operation, async () => {
    const tags = requiredTags(context, request);
    caller.requirePermission(workspace.organization_id);

    await context.db.transaction(async (tx) => {
      // 1. One deletion at a time per organization: a plain count left 494 of 500 organizations without a workspace.
      await lockOrganizationForUpdate(tx, workspace.organization_id);
      // 2. From here on, no request links to it.
      const live = orThrow(await selectWorkspaceForUpdate(tx, workspace.id), Reason.WORKSPACE_NOT_FOUND);
      assertHasTag(live, tags);
      assertNotLastWorkspace(await countLiveWorkspaces(tx, live.organization_id));
      // 3. Soft-delete it, and delete its links.
      await softDeleteWorkspace(tx, live.id);
      await deleteLinksOfWorkspaces(tx, [live.id]);
      appendActivity(tx, workspaceActivity("delete", live, caller.userId));
      // 4. Publish WorkspaceDeleted.
      appendEvent(tx, WorkspaceDeletedSchema, {
        workspaceId: live.id,
        organizationId: live.organization_id,
        actor: caller.userId,
      });
    });
    return {};
  });
}
