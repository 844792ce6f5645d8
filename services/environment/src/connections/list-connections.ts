import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import {
  type ListConnectionsRequest,
  ListConnectionsResponseSchema,
} from "@cloud/proto/environment/v1/connection_service_pb";
import { pageEncoder } from "@cloud/service/records";
import { organizationsInScope } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { connectionColumns, selectConnectionsOf } from "./sql.ts";

const encode = pageEncoder(ListConnectionsResponseSchema, connectionColumns);

export async function listConnections(context: Context, caller: Caller, request: ListConnectionsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  return encode(query, await selectConnectionsOf(context.db, organizationIds, query));
}
