import type { OrganizationId } from "@cloud/contract";
import type { Context } from "../context.ts";
import { selectOrganization } from "./organization-sql.ts";
import { provisionOrganization } from "./provision-organization.ts";

/**
 * Ensures that a live organization has its reference and its `My Workspace` here, even if the event of its creation is
 * late. Returns whether the organization is live. Calls identity only if there is no reference yet.
 */
export async function ensureOrganization(context: Context, organizationId: OrganizationId): Promise<boolean> {
  const known = await selectOrganization(context.db, organizationId);
  if (known !== undefined) {
    return known.deleted_at === null;
  }
  const { organizations } = await context.identity.batchGetOrganizations({ ids: [organizationId] });
  const [organization] = organizations;
  if (organization === undefined) {
    return false;
  }
  await context.db.transaction((tx) => provisionOrganization(tx, organizationId, organization.owner));
  return true;
}
