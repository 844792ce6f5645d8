import type { OrganizationId, TeamId, UserId } from "@cloud/contract";
import type { AuditEntry } from "../audit/record-audit-event.ts";

/** Returns the audit entry of a member who was added to a team or removed from it. */
export function teamMemberEntry(
  change: "added" | "removed",
  organizationId: OrganizationId,
  teamId: TeamId,
  userId: UserId,
): AuditEntry {
  return { action: `team_member.${change}`, target: userId, organizationId, metadata: { teamId } };
}
