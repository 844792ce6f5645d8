import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import {
  type ListEnvironmentsRequest,
  ListEnvironmentsResponseSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { pageEncoder } from "@cloud/service/records";
import { organizationsInScope } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { environmentColumns, selectEnvironmentsOf } from "./sql.ts";

const encode = pageEncoder(ListEnvironmentsResponseSchema, environmentColumns);

export async function listEnvironments(context: Context, caller: Caller, request: ListEnvironmentsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  return encode(query, await selectEnvironmentsOf(context.db, organizationIds, query));
}
