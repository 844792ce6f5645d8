import { appendEvents } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { ResourceUnassignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { appendActivities } from "../activity/activity-sql.ts";
import { linkActivity, type UnlinkReason } from "../activity/describe-activity.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { DeletedLink } from "./assignment-sql.ts";

/** A link that was deleted because its resource was deleted or moved, and the user who did it: empty for the system. */
export interface ReportedLink extends DeletedLink {
  readonly kind: ResourceKind;
  readonly actor: string;
  readonly reason: UnlinkReason;
}

/** Appends a line for each deleted link in the log of its workspace, and its ResourceUnassigned. */
export async function reportDeletedLinks(tx: Tx, links: readonly ReportedLink[]): Promise<void> {
  const activities = links.map(({ kind, actor, reason, ...link }) => {
    const workspace = { id: link.workspace_id, organization_id: link.organization_id };
    return linkActivity("unassign", workspace, actor, kind, link.resource_id, reason);
  });
  const events = links.map((link) => ({
    workspaceId: link.workspace_id,
    organizationId: link.organization_id,
    resourceKind: link.kind,
    resourceId: link.resource_id,
    actor: link.actor,
  }));
  await appendActivities(tx, activities);
  await appendEvents(tx, ResourceUnassignedSchema, events);
}
