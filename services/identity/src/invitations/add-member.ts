import type { Caller } from "@cloud/access";
import { newId, type OrganizationId, parseId, type UserId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AddMemberRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { InvitationId } from "../ids.ts";
import { assertMayChangeRoles, parseRoleNames, type RoleName } from "../memberships/rules.ts";
import { replaceRoles } from "../memberships/sql.ts";
import { invitationToProto } from "../to-proto.ts";
import { endInvitation, invitationEntry, revokeOthers } from "./end-invitation.ts";
import { invite, lockInvitee } from "./invite.ts";
import { type InvitationRow, insertInvitation } from "./sql.ts";

/** Adds a user to an organization. Provider Admins and services make them a member at once; others invite them. */
export async function addMember(context: Context, caller: Caller, request: AddMemberRequest) {
  // 1. the form of the request
  const roles = parseRoleNames(request.roleNames);
  // 2. the organization, and what the caller may do there
  const organizationId = await requireNamedOrganization(caller, request.organizationId);
  const isDirect = caller.seesAllOrganizations;
  assertMayChangeRoles({ before: [], after: roles, callerIsProviderAdmin: isDirect });
  const userId = parseId<UserId>(request.userId, Reason.USER_NOT_FOUND);
  // 3. the membership, or the invitation
  return isDirect
    ? await admit(context, caller, { organizationId, userId, roles })
    : await invite(context, caller, { organizationId, invitee: { userId }, roles });
}

interface Admission {
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly roles: readonly RoleName[];
}

/** Makes an invitation that is accepted already, so that both ways leave the same records and the same reply. */
async function admit(context: Context, caller: Caller, { organizationId, userId, roles }: Admission) {
  return await context.db.transaction(async (tx) => {
    await lockInvitee(tx, organizationId, { userId });
    // Only one invitation of a user may be pending.
    await revokeOthers(tx, context, caller, { organizationId, userId });
    const id = newId<InvitationId>();
    const invitedBy = caller.userId === "" ? null : caller.userId;
    await insertInvitation(tx, { id, organizationId, invitee: { userId }, roles, invitedBy });
    const row = await endInvitation(tx, id, "accepted", { userId });
    await admitInvited(tx, context, caller, { invitation: row, userId });
    return { invitation: invitationToProto(row) };
  });
}

/** Makes the user of an accepted invitation a member with its roles. */
export async function admitInvited(
  tx: Tx,
  context: Context,
  caller: Caller,
  { invitation, userId }: { readonly invitation: InvitationRow; readonly userId: UserId },
): Promise<void> {
  const { id, organization_id: organizationId, role_names: roleNames } = invitation;
  await replaceRoles(tx, organizationId, userId, roleNames);
  recordAuditEvent(tx, context, caller, invitationEntry("invitation.accepted", invitation));
  const metadata = { roleNames, invitationId: id };
  recordAuditEvent(tx, context, caller, { action: "member.added", target: userId, organizationId, metadata });
}
