import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type Id, parseId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { ResourceUnassignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { linkActivity } from "../activity/describe-activity.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { deleteAssignment } from "../links/sql.ts";
import { lockWorkspaceForShare, withWorkspaceForChange } from "../workspaces/require-workspace.ts";
import type { LinkType } from "./link-types.ts";

/** Deletes the link of a resource to a workspace. @throws the kind's `notAssigned` when there is none. */
export async function removeResource(
  context: Context,
  caller: Caller,
  kind: LinkType,
  request: { readonly workspaceId: string; readonly resourceId: string },
): Promise<void> {
  const operation = { action: "unassign", kind: kind.name, actedUpon: request.resourceId } as const;
  await withWorkspaceForChange(context, caller, request.workspaceId, operation, async (workspace) => {
    const resourceId = parseId<Id>(request.resourceId, kind.notAssigned);
    await context.db.transaction(async (tx) => {
      await lockWorkspaceForShare(tx, workspace.id);
      if (!(await deleteAssignment(tx, workspace.id, kind.name, resourceId))) throw fail(kind.notAssigned);
      appendActivity(tx, linkActivity("unassign", workspace, caller.userId, kind.name, resourceId));
      appendEvent(tx, ResourceUnassignedSchema, {
        workspaceId: workspace.id,
        organizationId: workspace.organization_id,
        resourceKind: kind.name,
        resourceId,
        actor: caller.userId,
      });
    });
  });
}
