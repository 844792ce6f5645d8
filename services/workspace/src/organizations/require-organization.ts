import type { Caller, OrganizationId } from "@cloud/contract";
import { organizationNotFound } from "@cloud/service";
import type { Context } from "../context.ts";
import { ensureOrganization } from "./ensure-organization.ts";

/**
 * Requires the permission to create in a live organization. May call identity, so call it before the transaction.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service.
 */
export async function requireOrganization(
  context: Context,
  caller: Caller,
  organizationId: OrganizationId,
): Promise<void> {
  await caller.requireCreation(organizationId);
  if (!(await ensureOrganization(context, organizationId))) {
    throw organizationNotFound(caller);
  }
}
