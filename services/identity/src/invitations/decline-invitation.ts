import type { Caller } from "@cloud/access";
import type { DeclineInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { invitationToProto } from "../to-proto.ts";
import { endInvitation, invitationEntry } from "./end-invitation.ts";
import { requireOwnInvitation } from "./get-invitation.ts";

/** Declines the caller's invitation. */
export async function declineInvitation(context: Context, caller: Caller, request: DeclineInvitationRequest) {
  const { invitation } = await requireOwnInvitation(context, caller, request.id);
  const row = await context.db.transaction(async (tx) => {
    const declined = await endInvitation(tx, invitation.id, "declined");
    recordAuditEvent(tx, context, caller, invitationEntry("invitation.declined", declined));
    return declined;
  });
  return { invitation: invitationToProto(row) };
}
