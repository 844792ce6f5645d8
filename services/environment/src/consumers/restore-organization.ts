import type { OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { clearOrganizationTombstone, type Tombstone } from "@cloud/service";
import { restoreConnectionsOf } from "../connections/connection-sql.ts";
import { restoreCredentialsOf } from "../credentials/credential-sql.ts";
import { restoreEnvironmentsOf } from "../environments/environment-sql.ts";

/**
 * Clears the tombstone of an organization that is live, and restores the credentials, environments and connections that
 * were deleted with it; records deleted before stay deleted. Links are not recreated. Returns false if the tombstone
 * was set again meanwhile.
 */
export async function restoreOrganization(tx: Tx, tombstone: Tombstone): Promise<boolean> {
  const deletedAt = await clearOrganizationTombstone(tx, tombstone);
  if (deletedAt === undefined) return false;
  const organizationId = tombstone.id as OrganizationId;
  await restoreCredentialsOf(tx, organizationId, deletedAt);
  await restoreEnvironmentsOf(tx, organizationId, deletedAt);
  await restoreConnectionsOf(tx, organizationId, deletedAt);
  return true;
}
