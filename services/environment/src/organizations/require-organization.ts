import type { Caller } from "@cloud/access";
import type { OrganizationId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { insertOrganizationIfMissing, lockOrganization, organizationNotFound } from "@cloud/service/references";
import type { Context } from "../context.ts";

/**
 * Requires the permission to create in a live organization. May call identity: never call it inside a transaction.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service.
 */
export async function requireOrganization(
  context: Context,
  caller: Caller,
  organizationId: OrganizationId,
): Promise<void> {
  await caller.requireCreation(organizationId);
  if (caller.type === "user") {
    return;
  }
  const { organizations } = await context.identity.batchGetOrganizations({ ids: [organizationId] });
  if (organizations.length === 0) {
    throw organizationNotFound(caller);
  }
}

/**
 * Inserts the reference if missing and locks it FOR SHARE: the organization stays live here until `tx` ends.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, if it has a tombstone.
 */
export async function insertAndLockOrganization(tx: Tx, caller: Caller, organizationId: OrganizationId): Promise<void> {
  await insertOrganizationIfMissing(tx, organizationId);
  await lockOrganization(tx, caller, organizationId);
}
