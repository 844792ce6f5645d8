import type { Caller } from "@cloud/access";
import type { RevokeInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { requiredTags } from "@cloud/service/records";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { endInvitation, invitationEntry } from "./end-invitation.ts";
import { requireInvitation } from "./get-invitation.ts";

/** Revokes a pending invitation of an organization. */
export async function revokeInvitation(context: Context, caller: Caller, request: RevokeInvitationRequest) {
  const tags = requiredTags(context, request);
  const { id } = await requireInvitation(context, caller, request.id);
  await context.db.transaction(async (tx) => {
    const revoked = await endInvitation(tx, id, "revoked", { tags });
    recordAuditEvent(tx, context, caller, invitationEntry("invitation.revoked", revoked));
  });
  return {};
}
