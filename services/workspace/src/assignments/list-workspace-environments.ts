import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListWorkspaceEnvironmentsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectAssignedIds } from "../links/assignment-sql.ts";
import { requireWorkspace } from "../workspaces/require-workspace.ts";

/**
 * Sends the ids linked here to the environment service, which returns the page: a change that either service confirmed
 * is visible at once.
 */
export async function listWorkspaceEnvironments(
  context: Context,
  caller: Caller,
  request: ListWorkspaceEnvironmentsRequest,
) {
  parseListParameters(request);
  const workspace = await requireWorkspace(context, caller, request.id);
  const ids = await selectAssignedIds(context.db, workspace.id, "environment");
  const { search, order, page, pageSize, filter } = request;
  const { organization_id: organizationId } = workspace;
  const assigned = parseAssigned(filter);
  return context.pages.environments({ organizationId, ids, assigned, search, order, page, pageSize });
}
