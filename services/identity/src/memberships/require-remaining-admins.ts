import { fail, type OrganizationId, type UserId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { lockProviderAdmins, selectOtherOrgAdminExists, selectOtherProviderAdminExists } from "./admin-sql.ts";
import type { RoleName } from "./role-rules.ts";

export interface RoleChange {
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
 * Requires a Provider Admin other than by the user's role in the organization, or by any role there if no user is given.
 * Locks the role until `tx` ends.
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
