import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { ResourceAssignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { type Caller, type Id, newId, parseId, requirePermission } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { linkActivity } from "../activity/describe-activity.ts";
import { recordingFailure } from "../activity/record-failure.ts";
import type { Context } from "../context.ts";
import { assertFound, findWorkspace } from "../workspaces/find-workspace.ts";
import { selectWorkspaceForShare, type WorkspaceRow } from "../workspaces/workspace-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { type AssignmentRow, insertAssignment, selectAssignment } from "./assignment-sql.ts";

/** Links a resource to a workspace; the existing link is answered where there is one. */
export async function assignResource(
  context: Context,
  caller: Caller,
  kind: AssignmentKind,
  request: { readonly workspaceId: string; readonly resourceId: string },
): Promise<AssignmentRow> {
  const workspace = await findWorkspace(context, caller, request.workspaceId);
  const operation = { workspace, action: "assign", kind: kind.name, actedUpon: request.resourceId } as const;
  return recordingFailure(context, caller, operation, async () => {
    requirePermission(caller, workspace.organization_id, kind.assignPermission);
    const resourceId = parseId<Id>(request.resourceId, kind.notFound);
    await kind.check(context, resourceId, workspace);
    return context.db.withTransaction((tx) => link(tx, caller, kind, workspace, resourceId));
  });
}

/** The order of the locks is that of docs/lock-order.md. */
async function link(
  tx: Tx,
  caller: Caller,
  kind: AssignmentKind,
  { id }: WorkspaceRow,
  resourceId: Id,
): Promise<AssignmentRow> {
  // 1. Both ends stay live until the end of the transaction.
  const workspace = assertFound(await selectWorkspaceForShare(tx, id));
  await kind.claim(tx, resourceId, workspace, caller);
  // 2. The link, new or existing.
  const inserted = await insertAssignment(tx, newId<Id>(), workspace.id, kind.name, resourceId);
  const assignment = inserted ?? (await selectAssignment(tx, workspace.id, kind.name, resourceId));
  // 3. Every operation leaves one line in the log; others hear only of a change.
  await insertActivity(tx, linkActivity("assign", workspace, caller.userId, kind.name, resourceId));
  if (inserted !== undefined) {
    await appendEvent(tx, ResourceAssignedSchema, {
      workspaceId: workspace.id,
      organizationId: workspace.organization_id,
      resourceKind: kind.name,
      resourceId,
      actor: caller.userId,
    });
  }
  return assignment;
}
