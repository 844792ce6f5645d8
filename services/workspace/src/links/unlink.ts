import type { Id } from "@cloud/access/values";
import { appendEvents } from "@cloud/events";
import type { Tx } from "@cloud/postgres";
import { ResourceUnassignedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { Tombstone } from "@cloud/service/references";
import { linkActivity, lostLinkActivity, type UnlinkReason } from "../activity/describe-activity.ts";
import { appendActivities, selectWorkspacesUnlinkedAt } from "../activity/sql.ts";
import type { ResourceType } from "../resource-type.ts";
import { clearReferenceTombstone, type PeerResource, upsertReferenceTombstones } from "./reference-sql.ts";
import { type DeletedLink, deleteLinksOfResources } from "./sql.ts";

/** A deleted team or environment, and the user who deleted it: empty when unknown. */
interface DeletedResource {
  readonly id: Id;
  readonly actor: string;
}

/**
 * Unlinks deleted teams or environments from their workspaces. Their tombstones keep assignments in flight from
 * creating new links. Returns how many links were deleted.
 */
export async function unlinkResources(
  tx: Tx,
  kind: PeerResource,
  deleted: readonly DeletedResource[],
): Promise<number> {
  const actors = new Map<string, string>(deleted.map(({ id, actor }) => [id, actor]));
  const ids = deleted.map(({ id }) => id);
  await upsertReferenceTombstones(tx, kind, ids); // protects: reference-tombstones
  const links = await deleteLinksOfResources(tx, kind, ids);
  reportDeletedLinks(
    tx,
    links.map((link) => ({ ...link, kind, actor: actors.get(link.resource_id) ?? "", reason: "deleted" })),
  );
  return links.length;
}

/**
 * A link that was deleted because its resource was deleted or moved, and the user who did that: empty for the system.
 */
interface ReportedLink extends DeletedLink {
  readonly kind: ResourceType;
  readonly actor: string;
  readonly reason: UnlinkReason;
}

/** Appends a line for each deleted link to the log of its workspace, and publishes its ResourceUnassigned. */
export function reportDeletedLinks(tx: Tx, links: readonly ReportedLink[]): void {
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
  appendActivities(tx, activities);
  appendEvents(tx, ResourceUnassignedSchema, events);
}

/**
 * Makes a team or an environment assignable again that counted as deleted here although it is live. Its links are not
 * restored: users decide whether they still need them, and the log of each workspace reports the lost link. Returns
 * false if the tombstone was set again meanwhile.
 */
export async function restoreReference(tx: Tx, kind: PeerResource, tombstone: Tombstone): Promise<boolean> {
  const deletedAt = await clearReferenceTombstone(tx, kind, tombstone);
  if (deletedAt === undefined) return false;
  const workspaces = await selectWorkspacesUnlinkedAt(tx, tombstone.id as Id, deletedAt);
  appendActivities(
    tx,
    workspaces.map((workspace) => lostLinkActivity(workspace, kind, tombstone.id)),
  );
  return true;
}
