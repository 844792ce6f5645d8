import { type Caller, parseListParameters } from "@cloud/contract";
import type { ListEnvironmentsRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { organizationsInScope } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectEnvironmentsOf } from "./environment-sql.ts";
import { environmentToProto } from "./environment-to-proto.ts";

export async function listEnvironments(context: Context, caller: Caller, request: ListEnvironmentsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  const { rows, ...total } = await selectEnvironmentsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, ...total, environments: rows.map(environmentToProto) };
}
