import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import type { ListMembersRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { selectAdminRoles } from "../memberships/sql.ts";
import { memberToProto } from "../to-proto.ts";
import { selectMembersOf, type Viewer } from "./sql.ts";

/** Lists the members of an organization. */
export async function listMembers(context: Context, caller: Caller, request: ListMembersRequest) {
  const query = parseListParameters(request);
  const organizationId = await requireNamedOrganization(caller, request.id);
  const viewer = await viewerOf(context, caller, organizationId);
  const { rows, ...total } = await selectMembersOf(context.db, organizationId, viewer, query);
  return { page: query.page, pageSize: query.pageSize, ...total, members: rows.map(memberToProto) };
}

/** Returns the caller as a viewer of the members of an organization, which decides the emails that they see. */
export async function viewerOf(context: Context, caller: Caller, organizationId: OrganizationId): Promise<Viewer> {
  const { userId, seesAllOrganizations } = caller;
  if (userId === "" || seesAllOrganizations) {
    return { userId: null, searchesEmails: true };
  }
  const { isOrgAdmin } = await selectAdminRoles(context.db, organizationId, userId);
  return { userId, searchesEmails: isOrgAdmin };
}
