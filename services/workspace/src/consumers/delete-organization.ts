import { appendEvents } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { DeletedOrganization } from "@cloud/service";
import { queueActivities } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { itemDeletions } from "../library/item-sql.ts";
import { deleteNextLinksOfWorkspaces } from "../links/assignment-sql.ts";
import { workspaceDeletion } from "../workspaces/workspace-sql.ts";

/**
 * Deletes the next records of the organization, at most `most` of a kind: the only exception to the minimum of one
 * workspace. Returns whether there may be more. A workspace is deleted once its links are, of which there may be more
 * than `most`.
 */
export async function deleteNextOfOrganization(
  tx: Tx,
  { id, actor }: DeletedOrganization,
  most: number,
): Promise<boolean> {
  const workspaces = await workspaceDeletion.selectNextOf(tx, id, most);
  if ((await deleteNextLinksOfWorkspaces(tx, workspaces, most)) === most) return true;
  await workspaceDeletion.softDeleteWith(tx, id, workspaces);
  queueActivities(
    tx,
    workspaces.map((workspaceId) => workspaceActivity("delete", { id: workspaceId, organization_id: id }, actor)),
  );
  appendEvents(
    tx,
    WorkspaceDeletedSchema,
    workspaces.map((workspaceId) => ({ workspaceId, organizationId: id, actor })),
  );
  if (workspaces.length === most) return true;
  for (const { softDeleteNextOf } of itemDeletions) {
    if ((await softDeleteNextOf(tx, id, most)) === most) return true;
  }
  return false;
}
