import type { OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { connectionDeletion } from "../connections/connection-sql.ts";
import { credentialDeletion } from "../credentials/credential-sql.ts";
import { environmentDeletion } from "../environments/environment-sql.ts";

/**
 * Restores the next credentials, environments and connections that were deleted with their organization, at most `most` of
 * each; returns whether there may be more. Links are not recreated.
 */
export async function restoreNextOfOrganization(tx: Tx, id: OrganizationId, most: number): Promise<boolean> {
  for (const { restoreNextOf } of [credentialDeletion, environmentDeletion, connectionDeletion]) {
    if ((await restoreNextOf(tx, id, most)).length === most) return true;
  }
  return false;
}
