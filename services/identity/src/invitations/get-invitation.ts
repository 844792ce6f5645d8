import type { Caller } from "@cloud/access";
import { orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import type { InvitationId } from "../ids.ts";
import { invitationToProto } from "../to-proto.ts";
import { requireUser } from "../users/resolve-owner.ts";
import { type InvitationRow, selectInvitation, selectOwnInvitation } from "./sql.ts";

/** Returns an invitation of the organization that the request names, or one of the caller's own. */
export async function getInvitation(context: Context, caller: Caller, request: GetInvitationRequest) {
  const row =
    request.organizationId === "" ? await getOwn(context, caller, request.id) : await getOf(context, caller, request);
  return { invitation: invitationToProto(row) };
}

async function getOf(context: Context, caller: Caller, request: GetInvitationRequest): Promise<InvitationRow> {
  const organizationId = await requireNamedOrganization(caller, request.organizationId);
  const id = parseId<InvitationId>(request.id, Reason.INVITATION_NOT_FOUND);
  const row = await selectInvitation(context.db, id);
  return orThrow(row?.organization_id === organizationId ? row : undefined, Reason.INVITATION_NOT_FOUND);
}

async function getOwn(context: Context, caller: Caller, id: string): Promise<InvitationRow> {
  caller.requireOwn();
  return (await requireOwnInvitation(context, caller, id)).invitation;
}

/**
 * Returns the invitation that a request names, to a caller with the RPC's permission in its organization.
 *
 * @throws INVITATION_NOT_FOUND if it is malformed, missing, or of a deleted or another organization; PERMISSION_DENIED.
 */
export async function requireInvitation(context: Context, caller: Caller, id: string): Promise<InvitationRow> {
  const invitation = orThrow(await selectInvitation(context.db, parseId<InvitationId>(id, notFound)), notFound);
  await caller.requireAccess(invitation.organization_id, notFound);
  return invitation;
}

/**
 * Returns the calling user's own invitation, by id or by email.
 *
 * @throws INVITATION_NOT_FOUND if it is malformed, missing, of another user or of a deleted organization;
 * USER_NOT_FOUND to a service, which is no member of an organization.
 */
export async function requireOwnInvitation(context: Context, caller: Caller, id: string) {
  const userId = requireUser(caller);
  const invitation = await selectOwnInvitation(context.db, userId, parseId<InvitationId>(id, notFound));
  return { userId, invitation: orThrow(invitation, notFound) };
}

const notFound = Reason.INVITATION_NOT_FOUND;
