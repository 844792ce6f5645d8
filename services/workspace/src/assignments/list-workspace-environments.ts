import type { ListWorkspaceEnvironmentsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, parseAssigned, parseListParameters } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { findWorkspace } from "../workspaces/find-workspace.ts";
import { selectAssignedIds } from "./assignment-sql.ts";

/** The environment service answers the page, given the ids linked here: what either side confirmed shows at once. */
export async function listWorkspaceEnvironments(
  context: Context,
  caller: Caller,
  request: ListWorkspaceEnvironmentsRequest,
) {
  parseListParameters(request);
  const workspace = await findWorkspace(context, caller, request.id);
  const ids = await selectAssignedIds(context.db, workspace.id, "environment");
  const { search, order, page, pageSize, filter } = request;
  const { organization_id: organizationId } = workspace;
  const selection = { organizationId, ids, assigned: parseAssigned(filter), search, order, page, pageSize };
  const reply = await context.environment.selectEnvironments(selection);
  const { totalCount, environments } = reply;
  return { page: reply.page, pageSize: reply.pageSize, totalCount, environments };
}
