import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { ListOrganizationsRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import type { Context } from "../context.ts";
import { organizationToProto } from "../to-proto.ts";
import { selectOrganizationsOf } from "./sql.ts";

/** Lists the organizations in which the caller has a role; all for Provider Admins and services. */
export async function listOrganizations(context: Context, caller: Caller, request: ListOrganizationsRequest) {
  const query = parseListParameters(request);
  const scope = caller.userId === "" || caller.seesAllOrganizations ? "all" : caller.userId;
  const { rows, ...total } = await selectOrganizationsOf(context.db, scope, query);
  return { page: query.page, pageSize: query.pageSize, ...total, organizations: rows.map(organizationToProto) };
}
