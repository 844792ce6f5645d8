import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { SetMemberRolesRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { revokeOthers } from "../invitations/end-invitation.ts";
import { recordRoleChange, requireRemainingAdmins } from "../memberships/role-changes.ts";
import { assertMayChangeRoles, parseRoleNames } from "../memberships/rules.ts";
import { replaceRoles, selectRoleNames } from "../memberships/sql.ts";
import { selectOrganizationForUpdate } from "../organizations/sql.ts";
import { clearForeignSelections } from "../selections/clear-foreign-selections.ts";
import { memberToProto } from "../to-proto.ts";
import { selectUser } from "../users/sql.ts";
import { viewerOf } from "./list-members.ts";
import { selectMember } from "./sql.ts";

/**
 * Sets a member's roles in an organization to exactly the roles of the request. Other users have to be invited; only
 * Provider Admins and services add a user directly.
 */
export async function setMemberRoles(context: Context, caller: Caller, request: SetMemberRolesRequest) {
  // 1. the form of the request
  const after = parseRoleNames(request.roleNames);
  // 2. the target, and what the caller may do to it
  const organizationId = await requireNamedOrganization(caller, request.id);
  const callerIsProviderAdmin = caller.seesAllOrganizations;
  const notFound = callerIsProviderAdmin ? Reason.USER_NOT_FOUND : Reason.MEMBER_NOT_FOUND;
  const userId = parseId<UserId>(request.userId, notFound);
  // 3. the change, serialized with all other changes of the organization's members
  const viewer = await viewerOf(context, caller, organizationId);
  return await context.db.transaction(async (tx) => {
    orThrow(await selectOrganizationForUpdate(tx, organizationId), Reason.ORGANIZATION_NOT_FOUND);
    const before = await selectRoleNames(tx, organizationId, userId);
    if ((before.length === 0 && !callerIsProviderAdmin) || (await selectUser(tx, userId)) === undefined) {
      throw fail(notFound);
    }
    assertMayChangeRoles({ before, after, callerIsProviderAdmin });
    await requireRemainingAdmins(tx, { organizationId, userId, before, after });
    await replaceRoles(tx, organizationId, userId, after);
    recordRoleChange(tx, context, caller, { organizationId, userId, before, after });
    if (before.length === 0) {
      await revokeOthers(tx, context, caller, { organizationId, userId });
    }
    // A former Provider Admin has lost access to every organization in which they have no role.
    await clearForeignSelections(tx, userId);
    return { member: memberToProto(orThrow(await selectMember(tx, organizationId, viewer, userId), notFound)) };
  });
}
