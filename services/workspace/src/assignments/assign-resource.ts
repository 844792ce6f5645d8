import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type Id, newId, parseId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ResourceAssignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { linkActivity } from "../activity/describe-activity.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { type AssignmentRow, insertOrLockAssignment } from "../links/sql.ts";
import { lockWorkspaceForShare, withWorkspaceForChange } from "../workspaces/require-workspace.ts";
import type { WorkspaceRow } from "../workspaces/sql.ts";
import type { LinkType } from "./link-types.ts";

/**
 * The most links of a kind in a workspace. The owner of the records receives all their ids with each list: 3.1 MiB.
 * Concurrent assignments do not see each other, so there may be a few more.
 */
const MAX_LINKS = 200_000;

/** Links a resource to a workspace; returns the existing link if the two are linked already. */
export async function assignResource(
  context: Context,
  caller: Caller,
  kind: LinkType,
  request: { readonly workspaceId: string; readonly resourceId: string },
): Promise<AssignmentRow> {
  const operation = { action: "assign", kind: kind.name, actedUpon: request.resourceId } as const;
  return withWorkspaceForChange(context, caller, request.workspaceId, operation, async (workspace) => {
    const resourceId = parseId<Id>(request.resourceId, kind.notFound);
    await kind.check(context, resourceId, workspace, caller);
    return context.db.transaction((tx) => link(tx, caller, kind, workspace, resourceId));
  });
}

/** Links the resource to the workspace in `tx`; takes locks in the order of docs/lock-order.md. */
async function link(
  tx: Tx,
  caller: Caller,
  kind: LinkType,
  workspace: WorkspaceRow,
  resourceId: Id,
): Promise<AssignmentRow> {
  // 1. Lock both ends, which keeps them live until `tx` ends.
  await lockWorkspaceForShare(tx, workspace.id);
  await kind.lockResource(tx, resourceId, workspace, caller);
  // 2. Insert the link, or lock the existing one.
  const link = [newId<Id>(), workspace.id, kind.name, resourceId, MAX_LINKS] as const;
  const { assignment, isNew, isOneTooMany } = await insertOrLockAssignment(tx, ...link);
  if (isOneTooMany) throw fail(Reason.TOO_MANY_LINKS, { limit: String(MAX_LINKS) });
  // 3. Log every operation; publish only a change.
  appendActivity(tx, linkActivity("assign", workspace, caller.userId, kind.name, resourceId));
  if (isNew) {
    appendEvent(tx, ResourceAssignedSchema, {
      workspaceId: workspace.id,
      organizationId: workspace.organization_id,
      resourceKind: kind.name,
      resourceId,
      actor: caller.userId,
    });
  }
  return assignment;
}
