import { type Caller, found, type InvitationId, parseId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { requireUser } from "../users/require-user.ts";
import { type InvitationRow, selectInvitation, selectOwnInvitation } from "./invitation-sql.ts";

const notFound = Reason.INVITATION_NOT_FOUND;

/**
 * Returns the invitation that a request names, to a caller with the RPC's permission in its organization.
 *
 * @throws INVITATION_NOT_FOUND if it is malformed, missing, or of a deleted or another organization; PERMISSION_DENIED.
 */
export async function requireInvitation(context: Context, caller: Caller, id: string): Promise<InvitationRow> {
  const invitation = found(await selectInvitation(context.db, parseId<InvitationId>(id, notFound)), notFound);
  await caller.requireAccess(invitation.organization_id, notFound);
  return invitation;
}

/**
 * Returns the calling user's own invitation, by id or by email.
 *
 * @throws INVITATION_NOT_FOUND if it is malformed, missing, of another user or of a deleted organization; USER_NOT_FOUND to
 * a service, which is no member of an organization.
 */
export async function requireOwnInvitation(context: Context, caller: Caller, id: string) {
  const userId = requireUser(caller);
  const invitation = await selectOwnInvitation(context.db, userId, parseId<InvitationId>(id, notFound));
  return { userId, invitation: found(invitation, notFound) };
}
