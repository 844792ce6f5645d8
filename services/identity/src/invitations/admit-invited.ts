import type { Caller, UserId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { replaceRoles } from "../memberships/membership-sql.ts";
import { invitationEntry } from "./invitation-entry.ts";
import type { InvitationRow } from "./invitation-sql.ts";

/** Makes the user of an accepted invitation a member with its roles. */
export async function admitInvited(
  tx: Tx,
  context: Context,
  caller: Caller,
  { invitation, userId }: { readonly invitation: InvitationRow; readonly userId: UserId },
): Promise<void> {
  const { id, organization_id: organizationId, role_names: roleNames } = invitation;
  await replaceRoles(tx, organizationId, userId, roleNames);
  await recordAuditEvent(tx, context, caller, invitationEntry("invitation.accepted", invitation));
  const metadata = { roleNames, invitationId: id };
  await recordAuditEvent(tx, context, caller, { action: "member.added", target: userId, organizationId, metadata });
}
