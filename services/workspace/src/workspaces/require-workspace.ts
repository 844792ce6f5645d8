import type { Caller } from "@cloud/access";
import { isId, type OrganizationId, orThrow, type WorkspaceId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Operation, recordingFailure } from "../activity/record-failure.ts";
import type { Context } from "../context.ts";
import type { LinkedWorkspaceRow } from "../links/linked-workspace-sql.ts";
import type { PeerResource } from "../links/reference-sql.ts";
import { selectWorkspaceForShare, type WorkspaceRow } from "./sql.ts";

/** Returns the live workspace with this id in an organization of the caller; undefined otherwise. */
export function findWorkspace(context: Context, caller: Caller, id: string): Promise<WorkspaceRow | undefined> {
  return findBy(context.selectWorkspace, caller, id);
}

/**
 * Returns the live workspace that a request names, to a caller with the RPC's permission.
 *
 * @throws WORKSPACE_NOT_FOUND for a malformed or unknown id, a deleted workspace or one of another organization;
 * PERMISSION_DENIED.
 */
export function requireWorkspace(context: Context, caller: Caller, id: string): Promise<WorkspaceRow> {
  return requireBy(context.selectWorkspace, caller, id);
}

/** Returns a workspace like `requireWorkspace`, with its links of the kind, read by the same statement. */
export function requireLinkedWorkspace(
  context: Context,
  caller: Caller,
  id: string,
  kind: PeerResource,
): Promise<LinkedWorkspaceRow> {
  return requireBy(context.selectLinkedWorkspace[kind], caller, id);
}

/** Locks the workspace FOR SHARE, which keeps it live until `tx` ends. @throws WORKSPACE_NOT_FOUND. */
export async function lockWorkspaceForShare(tx: Tx, id: WorkspaceId): Promise<void> {
  orThrow(await selectWorkspaceForShare(tx, id), Reason.WORKSPACE_NOT_FOUND);
}

/**
 * Runs `change` on the live workspace that a request names, for a caller with the RPC's permission. A failure, from a
 * missing permission on, is recorded in the workspace's log.
 *
 * @throws WORKSPACE_NOT_FOUND, PERMISSION_DENIED.
 */
export async function withWorkspaceForChange<Result>(
  context: Context,
  caller: Caller,
  id: string,
  operation: Omit<Operation, "workspace">,
  change: (workspace: WorkspaceRow) => Promise<Result>,
): Promise<Result> {
  const workspace = orThrow(await findWorkspace(context, caller, id), Reason.WORKSPACE_NOT_FOUND);
  return recordingFailure(context, caller, { workspace, ...operation }, async () => {
    caller.requirePermission(workspace.organization_id);
    return change(workspace);
  });
}

interface HasOrganization {
  readonly organization_id: OrganizationId;
}

type Select<Row> = (id: WorkspaceId) => Promise<Row | undefined>;

async function findBy<Row extends HasOrganization>(select: Select<Row>, caller: Caller, id: string) {
  const workspace = isId(id) ? await select(id as WorkspaceId) : undefined;
  return workspace !== undefined && (await caller.isMemberOf(workspace.organization_id)) ? workspace : undefined;
}

async function requireBy<Row extends HasOrganization>(select: Select<Row>, caller: Caller, id: string) {
  const workspace = orThrow(await findBy(select, caller, id), Reason.WORKSPACE_NOT_FOUND);
  caller.requirePermission(workspace.organization_id);
  return workspace;
}
