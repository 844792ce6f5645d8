import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveMemberRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import {
  type Caller,
  fail,
  isId,
  type OrganizationId,
  parseId,
  requireMembership,
  requirePermission,
  type UserId,
} from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { clearForeignSelections } from "../preferences/clear-foreign-selections.ts";
import { deleteMember, selectRoleNames } from "./memberships-sql.ts";
import { selectOrganizationForUpdate } from "./organizations-sql.ts";
import { assertMayChangeRoles } from "./role-rules.ts";

/** Anyone may leave; only who may manage the organization may make another leave. */
export async function removeMember({ db }: IdentityContext, request: RemoveMemberRequest, caller: Caller) {
  const organization = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await requireMembership(caller, organization, Reason.ORGANIZATION_NOT_FOUND);
  const isThemselves = isId(request.userId) && request.userId.toLowerCase() === caller.userId;
  if (!isThemselves) {
    requirePermission(caller, organization, Permission.MANAGE_ORGANIZATION);
  }
  const user = parseId<UserId>(request.userId, Reason.MEMBER_NOT_FOUND);
  const callerIsProviderAdmin = isThemselves || caller.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
  await db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForUpdate(tx, organization))) {
      throw fail(Reason.ORGANIZATION_NOT_FOUND);
    }
    const before = await selectRoleNames(tx, organization, user);
    if (before.length === 0) {
      throw fail(Reason.MEMBER_NOT_FOUND);
    }
    assertMayChangeRoles({ before, after: [], callerIsProviderAdmin });
    await deleteMember(tx, organization, user);
    await clearForeignSelections(tx, user, organization);
  });
  return {};
}
