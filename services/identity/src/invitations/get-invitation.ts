import { type Caller, found, type InvitationId, type OrganizationId, parseId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import type { Context } from "../context.ts";
import { type InvitationRow, selectInvitation } from "./invitation-sql.ts";
import { invitationToProto } from "./invitation-to-proto.ts";
import { requireOwnInvitation } from "./require-invitation.ts";

/** Returns an invitation of the organization that the request names, or one of the caller's own. */
export async function getInvitation(context: Context, caller: Caller, request: GetInvitationRequest) {
  const row =
    request.organizationId === "" ? await getOwn(context, caller, request.id) : await getOf(context, caller, request);
  return { invitation: invitationToProto(row) };
}

async function getOf(context: Context, caller: Caller, request: GetInvitationRequest): Promise<InvitationRow> {
  const organizationId = parseId<OrganizationId>(request.organizationId, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);
  const id = parseId<InvitationId>(request.id, Reason.INVITATION_NOT_FOUND);
  const row = await selectInvitation(context.db, id);
  return found(row?.organization_id === organizationId ? row : undefined, Reason.INVITATION_NOT_FOUND);
}

async function getOwn(context: Context, caller: Caller, id: string): Promise<InvitationRow> {
  caller.requireOwn();
  return (await requireOwnInvitation(context, caller, id)).invitation;
}
