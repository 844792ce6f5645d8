import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createOnce } from "@cloud/service";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { InvitationId } from "../ids.ts";
import type { RoleName } from "../memberships/rules.ts";
import { selectIsMemberByEmail, selectRoleNames } from "../memberships/sql.ts";
import { selectOrganizationForUpdate } from "../organizations/sql.ts";
import { invitationToProto } from "../to-proto.ts";
import { selectUser } from "../users/sql.ts";
import { expireInvitationsOf, invitationEntry } from "./end-invitation.ts";
import { countPendingInvitations, type Invitee, insertInvitation, selectPendingExists } from "./sql.ts";

/** An invitee, and the organization and roles of the invitation. */
export interface Invited {
  readonly organizationId: OrganizationId;
  readonly invitee: Invitee;
  readonly roles: readonly RoleName[];
}

/**
 * Makes a pending invitation, serialized with all other changes of the organization's members and with its other
 * invitations.
 *
 * @throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, MEMBER_EXISTS, INVITATION_EXISTS, TOO_MANY_INVITATIONS,
 * IDEMPOTENCY_KEY_REUSED.
 */
export async function invite(context: Context, caller: Caller, { organizationId, invitee, roles }: Invited) {
  return await createOnce(context, async (tx) => {
    await lockInvitee(tx, organizationId, invitee);
    await requireRoom(tx, context, organizationId, invitee);
    const invitedBy = caller.userId === "" ? null : caller.userId;
    const row = await insertInvitation(tx, { id: newId<InvitationId>(), organizationId, invitee, roles, invitedBy });
    recordAuditEvent(tx, context, caller, invitationEntry("invitation.created", row));
    return { invitation: invitationToProto(row) };
  });
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

/**
 * Locks an organization against other changes of its members, requires that the invitee is not a member, and expires
 * the invitations that are past their time. An address without a user, and the address of a user elsewhere, pass alike:
 * the reply must not reveal who is registered.
 *
 * @throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, MEMBER_EXISTS.
 */
export async function lockInvitee(tx: Tx, organizationId: OrganizationId, invitee: Invitee): Promise<void> {
  if (!(await selectOrganizationForUpdate(tx, organizationId))) {
    throw fail(Reason.ORGANIZATION_NOT_FOUND);
  }
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
  await expireInvitationsOf(tx, organizationId);
}
