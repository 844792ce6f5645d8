import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { OrganizationId } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { deleteLinksOfWorkspaces } from "../assignments/assignment-sql.ts";
import { designs, views } from "../library/library-kind.ts";
import { softDeleteItemsOf } from "../library/library-sql.ts";
import { softDeleteWorkspacesOf } from "../workspaces/workspace-sql.ts";
import { upsertOrganizationTombstone } from "./organization-sql.ts";

/**
 * Everything in the organization goes with it: the one way past the floor. Only live rows change, so that a second
 * delivery does nothing. Answers whether this was the first.
 */
export async function endOrganization(tx: Tx, organizationId: OrganizationId, actor: string): Promise<boolean> {
  const isFirst = await upsertOrganizationTombstone(tx, organizationId);
  const workspaces = await softDeleteWorkspacesOf(tx, organizationId);
  await softDeleteItemsOf(tx, designs, organizationId);
  await softDeleteItemsOf(tx, views, organizationId);
  await deleteLinksOfWorkspaces(
    tx,
    workspaces.map((workspace) => workspace.id),
  );
  for (const workspace of workspaces) {
    await insertActivity(tx, workspaceActivity("delete", workspace, actor));
    await appendEvent(tx, WorkspaceDeletedSchema, { workspaceId: workspace.id, organizationId, actor });
  }
  return isFirst;
}
