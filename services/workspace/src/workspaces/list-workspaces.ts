import { type Caller, parseListParameters } from "@cloud/contract";
import type { ListWorkspacesRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { organizationsInScope } from "@cloud/service";
import type { Context } from "../context.ts";
import { ensureOrganizations } from "../organizations/ensure-organizations.ts";
import { selectWorkspacesOf } from "./workspace-sql.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

/** Lists the workspaces of one organization or of all, after creating each `My Workspace` that is missing. */
export async function listWorkspaces(context: Context, caller: Caller, request: ListWorkspacesRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  // Every organization has at least one workspace, even before the event of its creation arrives.
  await ensureOrganizations(context, organizationIds);
  const { totalCount, rows } = await selectWorkspacesOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, workspaces: rows.map(workspaceToProto) };
}
