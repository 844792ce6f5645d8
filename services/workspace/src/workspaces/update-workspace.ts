import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { UpdateWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, requirePermission } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import type { Context } from "../context.ts";
import { assertFound, lookForWorkspace } from "./find-workspace.ts";
import { assertSomethingSent, parseChanges } from "./workspace-rules.ts";
import { updateWorkspaceFields } from "./workspace-sql.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

/** Only the fields sent change. */
export async function updateWorkspace(context: Context, caller: Caller, request: UpdateWorkspaceRequest) {
  // Looked for before the form is checked, because a malformed update leaves an error event too.
  const workspace = await lookForWorkspace(context, caller, request.id);
  const operation = { workspace, action: "update", kind: "workspace", actedUpon: request.id } as const;
  return recordingFailure(context, caller, operation, async () => {
    assertSomethingSent(request);
    const found = assertFound(workspace);
    requirePermission(caller, found.organization_id, Permission.EDIT_WORKSPACE);
    const changes = parseChanges(request);

    const updated = await context.db.withTransaction(async (tx) => {
      const changed = assertFound(await updateWorkspaceFields(tx, found.id, changes));
      await insertActivity(tx, workspaceActivity("update", changed, caller.userId));
      return changed;
    });
    return { workspace: workspaceToProto(updated) };
  });
}
