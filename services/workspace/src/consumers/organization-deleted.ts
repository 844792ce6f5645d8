import { appendEvent, effect } from "@cloud/messaging";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import type { OrganizationId } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { deleteLinksOfWorkspaces } from "../assignments/assignment-sql.ts";
import { designs, views } from "../library/library-kind.ts";
import { softDeleteItemsOf } from "../library/library-sql.ts";
import { upsertOrganizationTombstone } from "../organizations/organization-sql.ts";
import { softDeleteWorkspacesOf } from "../workspaces/workspace-sql.ts";

/**
 * Everything in the organization goes with it: the one way past the floor. Only live rows change, so that a second
 * delivery does nothing.
 */
export const organizationDeleted = effect(OrganizationDeletedSchema, async (tx, event) => {
  const organizationId = event.organizationId as OrganizationId;
  await upsertOrganizationTombstone(tx, organizationId);
  const workspaces = await softDeleteWorkspacesOf(tx, organizationId);
  await softDeleteItemsOf(tx, designs, organizationId);
  await softDeleteItemsOf(tx, views, organizationId);
  await deleteLinksOfWorkspaces(
    tx,
    workspaces.map((workspace) => workspace.id),
  );
  for (const workspace of workspaces) {
    await insertActivity(tx, workspaceActivity("delete", workspace, event.actor));
    await appendEvent(tx, WorkspaceDeletedSchema, {
      workspaceId: workspace.id,
      organizationId,
      actor: event.actor,
    });
  }
});
