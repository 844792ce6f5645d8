import type { OrganizationId } from "@cloud/contract";
import { appendEvents } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { upsertOrganizationTombstone } from "@cloud/service";
import { queueActivities } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { softDeleteItemsOf } from "../library/item-sql.ts";
import { designs, views } from "../library/library-kind.ts";
import { deleteLinksOfWorkspaces } from "../links/assignment-sql.ts";
import { softDeleteWorkspacesOf } from "../workspaces/workspace-sql.ts";

/**
 * Deletes everything in the organization: the only exception to the minimum of one workspace. Changes live rows only,
 * so that a second delivery has no effect. Returns whether this was the first.
 */
export async function deleteOrganization(tx: Tx, organizationId: OrganizationId, actor: string): Promise<boolean> {
  const isFirst = await upsertOrganizationTombstone(tx, organizationId);
  const workspaces = await softDeleteWorkspacesOf(tx, organizationId);
  await softDeleteItemsOf(tx, designs, organizationId);
  await softDeleteItemsOf(tx, views, organizationId);
  await deleteLinksOfWorkspaces(
    tx,
    workspaces.map((workspace) => workspace.id),
  );
  queueActivities(
    tx,
    workspaces.map((workspace) => workspaceActivity("delete", workspace, actor)),
  );
  appendEvents(
    tx,
    WorkspaceDeletedSchema,
    workspaces.map(({ id }) => ({ workspaceId: id, organizationId, actor })),
  );
  return isFirst;
}
