import { appendEvent } from "@cloud/messaging";
import { ResourceUnassignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { type Caller, fail, type Id, parseId, requirePermission } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { linkActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import type { Context } from "../context.ts";
import { assertFound, findWorkspace } from "../workspaces/find-workspace.ts";
import { selectWorkspaceForShare } from "../workspaces/workspace-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { deleteAssignment } from "./assignment-sql.ts";

/** Ends the link of a resource to a workspace. @throws the kind's `notAssigned` when there is none. */
export async function removeResource(
  context: Context,
  caller: Caller,
  kind: AssignmentKind,
  request: { readonly workspaceId: string; readonly resourceId: string },
): Promise<void> {
  const workspace = await findWorkspace(context, caller, request.workspaceId);
  const operation = { workspace, action: "unassign", kind: kind.name, actedUpon: request.resourceId } as const;
  await recordingFailure(context, caller, operation, async () => {
    requirePermission(caller, workspace.organization_id, kind.removePermission);
    const resourceId = parseId<Id>(request.resourceId, kind.notAssigned);
    await context.db.withTransaction(async (tx) => {
      assertFound(await selectWorkspaceForShare(tx, workspace.id));
      if (!(await deleteAssignment(tx, workspace.id, kind.name, resourceId))) {
        throw fail(kind.notAssigned);
      }
      await insertActivity(tx, linkActivity("unassign", workspace, caller.userId, kind.name, resourceId));
      await appendEvent(tx, ResourceUnassignedSchema, {
        workspaceId: workspace.id,
        organizationId: workspace.organization_id,
        resourceKind: kind.name,
        resourceId,
        actor: caller.userId,
      });
    });
  });
}
