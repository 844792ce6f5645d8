import { type Caller, found, isId, type WorkspaceId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { selectWorkspace, selectWorkspaceForShare, type WorkspaceRow } from "./workspace-sql.ts";

/** Returns the live workspace with this id in an organization of the caller; undefined otherwise. */
export async function findWorkspace(context: Context, caller: Caller, id: string): Promise<WorkspaceRow | undefined> {
  const workspace = isId(id) ? await selectWorkspace(context.db, id as WorkspaceId) : undefined;
  return workspace !== undefined && (await caller.isMemberOf(workspace.organization_id)) ? workspace : undefined;
}

/**
 * Returns the live workspace that a request names, to a caller with the RPC's permission.
 *
 * @throws WORKSPACE_NOT_FOUND for a malformed or unknown id, a deleted workspace or one of another organization;
 * PERMISSION_DENIED.
 */
export async function requireWorkspace(context: Context, caller: Caller, id: string): Promise<WorkspaceRow> {
  const workspace = found(await findWorkspace(context, caller, id), Reason.WORKSPACE_NOT_FOUND);
  caller.requirePermission(workspace.organization_id);
  return workspace;
}

/** Locks the workspace FOR SHARE, which keeps it live until `tx` ends. @throws WORKSPACE_NOT_FOUND. */
export async function lockWorkspaceForShare(tx: Tx, id: WorkspaceId): Promise<void> {
  found(await selectWorkspaceForShare(tx, id), Reason.WORKSPACE_NOT_FOUND);
}
