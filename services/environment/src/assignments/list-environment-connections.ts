import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { ListEnvironmentConnectionsRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { type Caller, parseAssigned, parseListParameters, requirePermission } from "@cloud/rpc";
import { selectConnectionsIn, selectConnectionsNotIn } from "../connections/connection-pages-sql.ts";
import { connectionToProto } from "../connections/connection-to-proto.ts";
import type { Context } from "../context.ts";
import { findEnvironment } from "../environments/find-environment.ts";

export async function listEnvironmentConnections(
  context: Context,
  caller: Caller,
  request: ListEnvironmentConnectionsRequest,
) {
  const query = parseListParameters(request, { orderByName: true });
  const assigned = parseAssigned(request.filter);
  const environment = await findEnvironment(context, caller, request.id);
  requirePermission(caller, environment.organization_id, Permission.VIEW_ENVIRONMENT);

  const select = assigned ? selectConnectionsIn : selectConnectionsNotIn;
  const { totalCount, rows } = await select(context.db, environment, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, connections: rows.map(connectionToProto) };
}
