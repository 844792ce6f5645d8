import type { Caller, OrganizationId, UserId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { invitationEntry } from "./invitation-entry.ts";
import { revokeInvitationsOf } from "./invitation-sql.ts";

/**
 * Revokes the pending invitations of a user who becomes a member of the organization. A member has none: one that stayed
 * would make them a member again after their removal.
 */
export async function revokeOthers(
  tx: Tx,
  context: Context,
  caller: Caller,
  { organizationId, userId }: { readonly organizationId: OrganizationId; readonly userId: UserId },
): Promise<void> {
  for (const row of await revokeInvitationsOf(tx, organizationId, userId)) {
    await recordAuditEvent(tx, context, caller, invitationEntry("invitation.revoked", row));
  }
}
