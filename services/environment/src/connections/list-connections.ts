import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { ListConnectionsRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { type Caller, parseListParameters, requireListScope } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { organizationsInScope } from "../organizations/organizations-in-scope.ts";
import { requirePermissionInScope } from "../organizations/require-permission-in-scope.ts";
import { selectConnectionsOf } from "./connection-pages-sql.ts";
import { connectionToProto } from "./connection-to-proto.ts";

export async function listConnections(context: Context, caller: Caller, request: ListConnectionsRequest) {
  const query = parseListParameters(request);
  const scope = await requireListScope(caller, request.orgId);
  requirePermissionInScope(caller, scope, Permission.VIEW_CONNECTIONS);
  const organizationIds = await organizationsInScope(context, scope);
  const { totalCount, rows } = await selectConnectionsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, connections: rows.map(connectionToProto) };
}
