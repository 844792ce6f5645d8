import {
  type Caller,
  fail,
  type InvitationId,
  newId,
  type OrganizationId,
  parseId,
  type UserId,
} from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { selectIsMemberByEmail, selectRoleNames } from "../memberships/membership-sql.ts";
import { assertMayChangeRoles, parseRoleNames } from "../memberships/role-rules.ts";
import { selectOrganizationForUpdate } from "../organizations/organization-sql.ts";
import { selectUser } from "../users/user-sql.ts";
import { expireInvitationsOf } from "./expire-invitations.ts";
import { invitationEntry } from "./invitation-entry.ts";
import { parseInvitee } from "./invitation-rules.ts";
import { countPendingInvitations, type Invitee, insertInvitation, selectPendingExists } from "./invitation-sql.ts";
import { invitationToProto } from "./invitation-to-proto.ts";

/** Invites a user or an address with roles that the caller may give. */
export async function createInvitation(context: Context, caller: Caller, request: CreateInvitationRequest) {
  // 1. the form of the request
  const requested = parseInvitee(request);
  const roles = parseRoleNames(request.roleNames);
  // 2. the organization, and what the caller may do there
  const organizationId = parseId<OrganizationId>(request.organizationId, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);
  assertMayChangeRoles({ before: [], after: roles, callerIsProviderAdmin: caller.seesAllOrganizations });
  const invitee: Invitee =
    "userId" in requested ? { userId: parseId<UserId>(requested.userId, Reason.USER_NOT_FOUND) } : requested;
  // 3. the invitation, serialized with all other changes of the organization's members and with its other invitations
  return await context.db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForUpdate(tx, organizationId))) {
      throw fail(Reason.ORGANIZATION_NOT_FOUND);
    }
    await requireNoMember(tx, organizationId, invitee);
    await expireInvitationsOf(tx, organizationId);
    await requireRoom(tx, context, organizationId, invitee);
    const invitedBy = caller.userId === "" ? null : caller.userId;
    const row = await insertInvitation(tx, { id: newId<InvitationId>(), organizationId, invitee, roles, invitedBy });
    await recordAuditEvent(tx, context, caller, invitationEntry("invitation.created", row));
    return { invitation: invitationToProto(row) };
  });
}

/** An address that belongs to no user, or to one elsewhere, is answered alike: it must not reveal who is registered. */
async function requireNoMember(tx: Tx, organizationId: OrganizationId, invitee: Invitee): Promise<void> {
  if ("userId" in invitee && (await selectUser(tx, invitee.userId)) === undefined) {
    throw fail(Reason.USER_NOT_FOUND);
  }
  const isMember =
    "userId" in invitee
      ? (await selectRoleNames(tx, organizationId, invitee.userId)).length > 0
      : await selectIsMemberByEmail(tx, organizationId, invitee.email);
  if (isMember) {
    throw fail(Reason.MEMBER_EXISTS);
  }
}

async function requireRoom(
  tx: Tx,
  { maxPendingInvitations: limit }: Context,
  organizationId: OrganizationId,
  invitee: Invitee,
): Promise<void> {
  if (await selectPendingExists(tx, organizationId, invitee)) {
    throw fail(Reason.INVITATION_EXISTS);
  }
  if ((await countPendingInvitations(tx, organizationId)) >= limit) {
    throw fail(Reason.TOO_MANY_INVITATIONS, { limit: String(limit) });
  }
}
