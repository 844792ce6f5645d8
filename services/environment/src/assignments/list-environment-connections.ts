import type { Caller } from "@cloud/access";
import { parseAssigned, parseListParameters } from "@cloud/access/lists";
import {
  type ListEnvironmentConnectionsRequest,
  ListEnvironmentConnectionsResponseSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { pageEncoder } from "@cloud/service/records";
import { connectionColumns, selectConnectionsIn, selectConnectionsNotIn } from "../connections/sql.ts";
import type { Context } from "../context.ts";
import { requireEnvironment } from "../environments/get-environment.ts";

const encode = pageEncoder(ListEnvironmentConnectionsResponseSchema, connectionColumns);

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
  return encode(query, await select(context.db, environment, query));
}
