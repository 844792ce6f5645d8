import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveMemberRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import { recordAuditEvents } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { requireRemainingAdmins, teamMemberEntry } from "../memberships/role-changes.ts";
import { assertMayChangeRoles } from "../memberships/rules.ts";
import { deleteMember, selectRoleNames } from "../memberships/sql.ts";
import { selectOrganizationForUpdate } from "../organizations/sql.ts";
import { clearForeignSelections } from "../selections/clear-foreign-selections.ts";

/** Removes a member. Every member may leave; to remove another one needs Manage Organization. */
export async function removeMember(context: Context, caller: Caller, request: RemoveMemberRequest) {
  // A membership belongs to its user.
  const owner = request.userId.toLowerCase();
  const organizationId = await requireNamedOrganization(caller, request.id, owner);
  const userId = parseId<UserId>(request.userId, Reason.MEMBER_NOT_FOUND);
  const callerIsProviderAdmin = owner === caller.userId || caller.seesAllOrganizations;
  await context.db.transaction(async (tx) => {
    orThrow(await selectOrganizationForUpdate(tx, organizationId), Reason.ORGANIZATION_NOT_FOUND);
    const before = await selectRoleNames(tx, organizationId, userId);
    if (before.length === 0) {
      throw fail(Reason.MEMBER_NOT_FOUND);
    }
    assertMayChangeRoles({ before, after: [], callerIsProviderAdmin });
    await requireRemainingAdmins(tx, { organizationId, userId, before, after: [] });
    const teams = await deleteMember(tx, organizationId, userId);
    recordAuditEvents(tx, context, caller, [
      { action: "member.removed", target: userId, organizationId, metadata: { roleNames: before } },
      ...teams.map((teamId) => teamMemberEntry("removed", organizationId, teamId, userId)),
    ]);
    await clearForeignSelections(tx, userId, organizationId);
  });
  return {};
}
