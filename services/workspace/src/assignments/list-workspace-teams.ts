import type { ListWorkspaceTeamsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, parseAssigned, parseListParameters } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { findWorkspace } from "../workspaces/find-workspace.ts";
import { selectAssignedIds } from "./assignment-sql.ts";

/** Identity answers the page, given the ids linked here: what either side confirmed shows at once. */
export async function listWorkspaceTeams(context: Context, caller: Caller, request: ListWorkspaceTeamsRequest) {
  parseListParameters(request);
  const workspace = await findWorkspace(context, caller, request.id);
  const ids = await selectAssignedIds(context.db, workspace.id, "team");
  const { search, order, page, pageSize, filter } = request;
  const { organization_id: organizationId } = workspace;
  const assigned = parseAssigned(filter);
  const reply = await context.identity.selectTeams({ organizationId, ids, assigned, search, order, page, pageSize });
  return { page: reply.page, pageSize: reply.pageSize, totalCount: reply.totalCount, teams: reply.teams };
}
