import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListEnvironmentConnectionsRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { selectConnectionsIn, selectConnectionsNotIn } from "../connections/connection-pages-sql.ts";
import { connectionToProto } from "../connections/connection-to-proto.ts";
import type { Context } from "../context.ts";
import { requireEnvironment } from "../environments/require-environment.ts";

/** Lists the connections that are linked to the environment or, by `filter`, the others of its organization. */
export async function listEnvironmentConnections(
  context: Context,
  caller: Caller,
  request: ListEnvironmentConnectionsRequest,
) {
  const query = parseListParameters(request, { orderByName: true });
  const assigned = parseAssigned(request.filter);
  const environment = await requireEnvironment(context, caller, request.id);

  const select = assigned ? selectConnectionsIn : selectConnectionsNotIn;
  const { rows, ...total } = await select(context.db, environment, query);
  return { page: query.page, pageSize: query.pageSize, ...total, connections: rows.map(connectionToProto) };
}
