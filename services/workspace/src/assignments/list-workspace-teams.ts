import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListWorkspaceTeamsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectAssignedIds } from "../links/assignment-sql.ts";
import { requireWorkspace } from "../workspaces/require-workspace.ts";

/**
 * Sends the ids linked here to identity, which returns the page: a change that either service confirmed is visible at
 * once.
 */
export async function listWorkspaceTeams(context: Context, caller: Caller, request: ListWorkspaceTeamsRequest) {
  parseListParameters(request);
  const workspace = await requireWorkspace(context, caller, request.id);
  const ids = await selectAssignedIds(context.db, workspace.id, "team");
  const { search, order, page, pageSize, filter } = request;
  const { organization_id: organizationId } = workspace;
  const assigned = parseAssigned(filter);
  return context.pages.teams({ organizationId, ids, assigned, search, order, page, pageSize });
}
