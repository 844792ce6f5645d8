import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import type { OrganizationId, TeamId, UserId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type AuditEntry, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { RoleName } from "./rules.ts";
import { lockProviderAdmins, selectOtherOrgAdminExists, selectOtherProviderAdminExists } from "./sql.ts";

interface RoleChange {
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly before: readonly RoleName[];
  readonly after: readonly RoleName[];
}

/**
 * Requires that a change of a user's roles leaves the organization an Org Admin and the system a Provider Admin, where
 * there is one now. The caller holds the lock on the organization; a Provider Admin's change locks that role, too.
 *
 * @throws LAST_ORG_ADMIN, LAST_PROVIDER_ADMIN.
 */
export async function requireRemainingAdmins(tx: Tx, change: RoleChange): Promise<void> {
  const { organizationId, userId } = change;
  if (takes("Org Admin", change) && !(await selectOtherOrgAdminExists(tx, organizationId, userId))) {
    throw fail(Reason.LAST_ORG_ADMIN);
  }
  if (takes("Provider Admin", change)) {
    await requireRemainingProviderAdmin(tx, organizationId, userId);
  }
}

/**
 * Requires a Provider Admin other than by the user's role in the organization, or by any role there if no user is
 * given. Locks the role until `tx` ends.
 *
 * @throws LAST_PROVIDER_ADMIN.
 */
export async function requireRemainingProviderAdmin(
  tx: Tx,
  organizationId: OrganizationId,
  userId?: UserId,
): Promise<void> {
  await lockProviderAdmins(tx);
  if (!(await selectOtherProviderAdminExists(tx, organizationId, userId))) {
    throw fail(Reason.LAST_PROVIDER_ADMIN);
  }
}

const takes = (role: RoleName, { before, after }: RoleChange) => before.includes(role) && !after.includes(role);

/** Appends the audit entry of a change of roles; none if the roles are the same as before. */
export function recordRoleChange(
  tx: Tx,
  context: Context,
  caller: Caller,
  { organizationId, userId: target, before, after }: RoleChange,
): void {
  const given = after.filter((role) => !before.includes(role));
  const taken = before.filter((role) => !after.includes(role));
  if (before.length === 0) {
    const metadata = { roleNames: given };
    recordAuditEvent(tx, context, caller, { action: "member.added", target, organizationId, metadata });
  } else if (given.length + taken.length > 0) {
    const metadata = { given, taken };
    recordAuditEvent(tx, context, caller, { action: "member.roles_changed", target, organizationId, metadata });
  }
}

/** Returns the audit entry of a member who was added to a team or removed from it. */
export function teamMemberEntry(
  change: "added" | "removed",
  organizationId: OrganizationId,
  teamId: TeamId,
  userId: UserId,
): AuditEntry {
  return { action: `team_member.${change}`, target: userId, organizationId, metadata: { teamId } };
}
