import type { Caller, OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import * as references from "@cloud/service";
import { organizationNotFound } from "@cloud/service";
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
  if (caller.kind === "user") {
    return;
  }
  const { organizations } = await context.identity.batchGetOrganizations({ ids: [organizationId] });
  if (organizations.length === 0) {
    throw organizationNotFound(caller);
  }
}

/**
 * Locks the reference FOR SHARE and inserts it if missing: the organization stays live here until `tx` ends.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, if it has a tombstone.
 */
export async function lockOrganization(tx: Tx, caller: Caller, organizationId: OrganizationId): Promise<void> {
  await references.insertOrganizationIfMissing(tx, organizationId);
  await references.lockOrganization(tx, caller, organizationId);
}
