import type { Caller, OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import * as references from "@cloud/service";

/**
 * Locks the reference FOR SHARE and inserts it if missing: the organization stays live here until `tx` ends.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service, if it has a tombstone.
 */
export async function lockOrganization(tx: Tx, caller: Caller, organizationId: OrganizationId): Promise<void> {
  await references.insertOrganizationIfMissing(tx, organizationId);
  await references.lockOrganization(tx, caller, organizationId);
}
