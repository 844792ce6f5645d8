import type { ListEnvironmentsRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { type Caller, parseListParameters, requireListScope } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { organizationsInScope } from "../organizations/organizations-in-scope.ts";
import { selectEnvironmentsOf } from "./environment-sql.ts";
import { environmentToProto } from "./environment-to-proto.ts";

export async function listEnvironments(context: Context, caller: Caller, request: ListEnvironmentsRequest) {
  const query = parseListParameters(request);
  const scope = await requireListScope(caller, request.orgId);
  const organizationIds = await organizationsInScope(context, scope);
  const { totalCount, rows } = await selectEnvironmentsOf(context.db, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, environments: rows.map(environmentToProto) };
}
