import type { AuditEntry } from "../audit/record-audit-event.ts";
import type { InvitationRow } from "./invitation-sql.ts";

/** Returns the audit entry of a change of an invitation. */
export function invitationEntry(
  action: `invitation.${"created" | "accepted" | "declined" | "revoked" | "expired"}`,
  row: InvitationRow,
): AuditEntry {
  const invitee = row.email === "" ? { userId: row.user_id } : { email: row.email };
  const metadata = { ...invitee, roleNames: row.role_names };
  return { action, target: row.id, organizationId: row.organization_id, metadata };
}
