import { type Caller, parseListParameters } from "@cloud/contract";
import type { ListConnectionsRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { organizationsInScope } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectConnectionsOf } from "./connection-pages-sql.ts";
import { connectionToProto } from "./connection-to-proto.ts";

export async function listConnections(context: Context, caller: Caller, request: ListConnectionsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  const { rows, ...total } = await selectConnectionsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, ...total, connections: rows.map(connectionToProto) };
}
