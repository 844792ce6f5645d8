import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { SelectEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import { type Caller, type EnvironmentId, fail, isId, type OrganizationId, parseListParameters } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectEnvironmentsAmong, selectEnvironmentsExcept } from "../environments/environment-sql.ts";
import { environmentToProto } from "../environments/environment-to-proto.ts";

/** A page of the organization's live environments among the ids, or of the others: a workspace's lists. */
export async function selectEnvironments(context: Context, _caller: Caller, request: SelectEnvironmentsRequest) {
  const query = parseListParameters(request);
  if (!isId(request.organizationId)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "organizationId", accepts: "an id" });
  }
  const organizationId = request.organizationId as OrganizationId;
  const ids = request.ids.filter(isId) as EnvironmentId[];
  const select = request.assigned ? selectEnvironmentsAmong : selectEnvironmentsExcept;
  const { totalCount, rows } = await select(context.db, organizationId, ids, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, environments: rows.map(environmentToProto) };
}
