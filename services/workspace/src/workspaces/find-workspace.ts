import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, isId, type WorkspaceId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectWorkspace, type WorkspaceRow } from "./workspace-sql.ts";

/** The live workspace of that id in an organization of the caller; undefined for everything else. */
export async function lookForWorkspace(
  context: Context,
  caller: Caller,
  id: string,
): Promise<WorkspaceRow | undefined> {
  const workspace = isId(id) ? await selectWorkspace(context.db, id as WorkspaceId) : undefined;
  return workspace !== undefined && (await caller.isMemberOf(workspace.organization_id)) ? workspace : undefined;
}

/** @throws WORKSPACE_NOT_FOUND when it is malformed, missing, deleted or in another organization. */
export async function findWorkspace(context: Context, caller: Caller, id: string): Promise<WorkspaceRow> {
  return assertFound(await lookForWorkspace(context, caller, id));
}

/** @throws WORKSPACE_NOT_FOUND. */
export function assertFound(workspace: WorkspaceRow | undefined): WorkspaceRow {
  if (workspace === undefined) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  return workspace;
}
