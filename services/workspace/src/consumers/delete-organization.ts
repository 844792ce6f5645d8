import * as events from "@cloud/messaging";
import type { Reader } from "@cloud/postgres";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { DeletedOrganization, DeletionBatch } from "@cloud/service";
import * as activities from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { itemDeletions } from "../library/item-sql.ts";
import { linkDeletion, linkDeletionOfWorkspaces, selectLinksOfWorkspaces } from "../links/assignment-sql.ts";
import { workspaceDeletion } from "../workspaces/workspace-sql.ts";

/**
 * Reads the next records of the organization, at most `most` of a kind: the only exception to the minimum of one
 * workspace. A workspace is deleted once its links are, of which there may be more than `most`.
 */
export async function nextDeletion(
  db: Reader,
  { id, actor }: DeletedOrganization,
  most: number,
): Promise<DeletionBatch> {
  const workspaces = await workspaceDeletion.selectNextOf(db, id, most);
  const links = await selectLinksOfWorkspaces(db, workspaces, most);
  if (links.length === most) return { hasMore: true, statements: [linkDeletion(links)] };
  const items = await Promise.all(
    itemDeletions.map(({ selectNextOf }) => (workspaces.length < most ? selectNextOf(db, id, most) : [])),
  );
  const deleted = workspaces.map((workspaceId) => ({ workspaceId, organizationId: id, actor }));
  const lines = workspaces.map((workspace) =>
    workspaceActivity("delete", { id: workspace, organization_id: id }, actor),
  );
  return {
    hasMore: [workspaces, ...items].some(({ length }) => length === most),
    statements: [
      ...workspaceDeletion.lock(workspaces),
      linkDeletionOfWorkspaces(workspaces),
      ...workspaceDeletion.softDeleteWith(id, workspaces),
      ...activities.insertionOf(lines),
      ...events.insertionOf(WorkspaceDeletedSchema, deleted),
      ...itemDeletions.flatMap(({ lock, softDeleteWith }, kind) => [
        ...lock(items[kind] ?? []),
        ...softDeleteWith(id, items[kind] ?? []),
      ]),
    ],
  };
}
