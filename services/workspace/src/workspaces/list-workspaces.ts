import type { ListWorkspacesRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, parseListParameters, requireListScope } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { ensureOrganization } from "../organizations/ensure-organization.ts";
import { organizationsInScope } from "../organizations/organizations-in-scope.ts";
import { selectWorkspacesOf } from "./workspace-sql.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

export async function listWorkspaces(context: Context, caller: Caller, request: ListWorkspacesRequest) {
  const query = parseListParameters(request);
  const scope = await requireListScope(caller, request.orgId);
  if (scope !== "all") {
    // Every organization always holds at least one workspace, also before the event of its creation arrives.
    await ensureOrganization(context, scope);
  }
  const organizationIds = await organizationsInScope(context, scope);
  const { totalCount, rows } = await selectWorkspacesOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, workspaces: rows.map(workspaceToProto) };
}
