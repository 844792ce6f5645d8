import { type Caller, fail, type InvitationId, newId, type OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createOnce } from "@cloud/service";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { RoleName } from "../memberships/role-rules.ts";
import { expireInvitationsOf } from "./expire-invitations.ts";
import { invitationEntry } from "./invitation-entry.ts";
import { countPendingInvitations, type Invitee, insertInvitation, selectPendingExists } from "./invitation-sql.ts";
import { invitationToProto } from "./invitation-to-proto.ts";
import { lockInvitee } from "./lock-invitee.ts";

/** Who is to become a member of an organization, and with which roles. */
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
    await expireInvitationsOf(tx, organizationId);
    await requireRoom(tx, context, organizationId, invitee);
    const invitedBy = caller.userId === "" ? null : caller.userId;
    const row = await insertInvitation(tx, { id: newId<InvitationId>(), organizationId, invitee, roles, invitedBy });
    await recordAuditEvent(tx, context, caller, invitationEntry("invitation.created", row));
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
