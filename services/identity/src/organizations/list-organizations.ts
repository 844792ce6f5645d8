import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { ListOrganizationsRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { type Caller, parseListParameters } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { organizationToProto } from "./organization-to-proto.ts";
import { selectOrganizationPage } from "./organizations-sql.ts";

export async function listOrganizations({ db }: IdentityContext, request: ListOrganizationsRequest, caller: Caller) {
  const list = parseListParameters(request);
  const of = caller.userId === "" || caller.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS) ? "all" : caller.userId;
  const { totalCount, rows } = await selectOrganizationPage(db, of, list);
  return { page: list.page, pageSize: list.pageSize, totalCount, organizations: rows.map(organizationToProto) };
}
