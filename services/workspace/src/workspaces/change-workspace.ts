import { type Caller, found } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Operation, recordingFailure } from "../activity/record-failure.ts";
import type { Context } from "../context.ts";
import { findWorkspace } from "./require-workspace.ts";
import type { WorkspaceRow } from "./workspace-sql.ts";

/**
 * Runs `change` on the live workspace that a request names, for a caller with the RPC's permission. From the missing
 * permission on, a failure is recorded in the workspace's log.
 *
 * @throws WORKSPACE_NOT_FOUND, PERMISSION_DENIED.
 */
export async function changeWorkspace<Result>(
  context: Context,
  caller: Caller,
  id: string,
  operation: Omit<Operation, "workspace">,
  change: (workspace: WorkspaceRow) => Promise<Result>,
): Promise<Result> {
  const workspace = found(await findWorkspace(context, caller, id), Reason.WORKSPACE_NOT_FOUND);
  return recordingFailure(context, caller, { workspace, ...operation }, async () => {
    caller.requirePermission(workspace.organization_id);
    return change(workspace);
  });
}
