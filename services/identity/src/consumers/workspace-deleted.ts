import type { Tx } from "@cloud/postgres";
import type { WorkspaceDeleted } from "@cloud/proto/workspace/v1/events_pb";
import type { OrganizationId, WorkspaceId } from "@cloud/rpc";
import { clearSelectionsOfWorkspace } from "../preferences/preferences-sql.ts";
import { tombstoneWorkspaceReference } from "../preferences/workspace-references-sql.ts";

/** The tombstone first: whoever is selecting the workspace right now holds its lock, and is cleared next. */
export async function applyWorkspaceDeleted(tx: Tx, event: WorkspaceDeleted): Promise<void> {
  const id = event.workspaceId as WorkspaceId;
  await tombstoneWorkspaceReference(tx, { id, organizationId: event.organizationId as OrganizationId });
  await clearSelectionsOfWorkspace(tx, id);
}
