import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { SetMemberRolesRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import {
  type Caller,
  fail,
  type OrganizationId,
  parseId,
  requireMembership,
  requirePermission,
  type UserId,
} from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { clearForeignSelections } from "../preferences/clear-foreign-selections.ts";
import { selectLiveUser } from "../users/users-sql.ts";
import { replaceRoles, selectRoleNames } from "./memberships-sql.ts";
import { selectOrganizationForUpdate } from "./organizations-sql.ts";
import { assertMayChangeRoles, parseRoleNames } from "./role-rules.ts";

export async function setMemberRoles({ db }: IdentityContext, request: SetMemberRolesRequest, caller: Caller) {
  // 1. the form of the request
  const after = parseRoleNames(request.roleNames);
  // 2. the target, and what the caller may do to it
  const organization = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await requireMembership(caller, organization, Reason.ORGANIZATION_NOT_FOUND);
  requirePermission(caller, organization, Permission.MANAGE_ORGANIZATION);
  const user = parseId<UserId>(request.userId, Reason.USER_NOT_FOUND);
  const callerIsProviderAdmin = caller.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
  // 3. one change at a time of who belongs to the organization
  await db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForUpdate(tx, organization))) {
      throw fail(Reason.ORGANIZATION_NOT_FOUND);
    }
    if ((await selectLiveUser(tx, user)) === undefined) {
      throw fail(Reason.USER_NOT_FOUND);
    }
    const before = await selectRoleNames(tx, organization, user);
    assertMayChangeRoles({ before, after, callerIsProviderAdmin });
    await replaceRoles(tx, organization, user, after);
    // Who is no longer a Provider Admin has lost every organization but their own.
    await clearForeignSelections(tx, user);
  });
  return { member: { organizationId: organization, userId: user, roleNames: after } };
}
