import type { OrganizationId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectOrganization } from "./organization-sql.ts";
import { welcomeOrganization } from "./welcome-organization.ts";

/**
 * Makes sure that a live organization is known here and has its `My Workspace`, should the event of its creation be
 * late. Answers whether the organization is live. Asks identity the first time only.
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
  await context.db.withTransaction((tx) => welcomeOrganization(tx, organizationId, organization.owner));
  return true;
}
