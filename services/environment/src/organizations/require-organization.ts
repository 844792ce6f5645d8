import type { Caller, OrganizationId } from "@cloud/contract";
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
