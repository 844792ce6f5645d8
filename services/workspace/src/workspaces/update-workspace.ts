import type { Caller } from "@cloud/access";
import { orThrow, parseMetadata } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { changedRow, requiredTags } from "@cloud/service/records";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { workspaceToProto } from "../to-proto.ts";
import { findWorkspace } from "./require-workspace.ts";
import { assertUpdateNotEmpty, parseChanges } from "./rules.ts";
import { updateWorkspaceFields } from "./sql.ts";

/** Updates the fields that are sent. */
export async function updateWorkspace(context: Context, caller: Caller, request: UpdateWorkspaceRequest) {
  // Looked up before the request is validated, because a malformed update is recorded as an error event too.
  const workspace = await findWorkspace(context, caller, request.id);
  const operation = { workspace, action: "update", kind: "workspace", actedUpon: request.id } as const;
  return recordingFailure(context, caller, operation, async () => {
    const tags = requiredTags(context, request);
    assertUpdateNotEmpty(request);
    const metadata = request.metadata && parseMetadata(request.metadata);
    const target = orThrow(workspace, Reason.WORKSPACE_NOT_FOUND);
    caller.requirePermission(target.organization_id);
    const changes = parseChanges(request);

    const updated = await context.db.transaction(async (tx) => {
      const row = await updateWorkspaceFields(tx, target.id, { ...changes, metadata }, tags);
      const changed = changedRow(row, tags, Reason.WORKSPACE_NOT_FOUND);
      appendActivity(tx, workspaceActivity("update", changed, caller.userId));
      return changed;
    });
    return { workspace: workspaceToProto(updated) };
  });
}
