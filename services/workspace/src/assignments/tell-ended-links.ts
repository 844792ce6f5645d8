import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { ResourceUnassignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { insertActivity } from "../activity/activity-sql.ts";
import { type EndReason, linkActivity } from "../activity/describe-activity.ts";
import type { AssignmentKindName } from "./assignment-kind.ts";
import type { UnlinkedWorkspace } from "./assignment-sql.ts";

/** Tells, in each workspace's log and to others, that a link ended because the resource went away. */
export async function tellEndedLinks(
  tx: Tx,
  workspaces: readonly UnlinkedWorkspace[],
  kind: AssignmentKindName,
  resourceId: string,
  actor: string,
  reason: EndReason,
): Promise<void> {
  for (const workspace of workspaces) {
    await insertActivity(tx, linkActivity("unassign", workspace, actor, kind, resourceId, reason));
    await appendEvent(tx, ResourceUnassignedSchema, {
      workspaceId: workspace.id,
      organizationId: workspace.organization_id,
      resourceKind: kind,
      resourceId,
      actor,
    });
  }
}
