import type { Caller } from "@cloud/access";
import type { ListRolesRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { pageOf, parseShortListParameters } from "./rules.ts";
import { selectRoles } from "./sql.ts";

/** Lists the roles that members of the organization can have: all roles of the system. */
export async function listRoles(context: Context, caller: Caller, request: ListRolesRequest) {
  const query = parseShortListParameters(request);
  await requireNamedOrganization(caller, request.id);
  const { entries: roles, ...page } = pageOf(await selectRoles(context.db), query);
  return { ...page, roles: roles.map((role) => ({ ...role, roleName: role.name })) };
}
