import type { Tx } from "@cloud/postgres";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, type OrganizationId, permissionName, requireCreation } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { ensureOrganization } from "./ensure-organization.ts";
import { selectLiveOrganizationForShare } from "./organization-sql.ts";

/**
 * Lets pass who may create something in a live organization; may ask identity, so call it before the transaction.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service.
 */
export async function requireOrganization(
  context: Context,
  caller: Caller,
  organizationId: OrganizationId,
  permission: Permission,
): Promise<void> {
  await requireCreation(caller, organizationId, permission);
  if (!(await ensureOrganization(context, organizationId))) {
    throw gone(caller, permission);
  }
}

/**
 * Keeps the organization live until the end of `tx`: without this lock a record created beside the deletion of its
 * organization would outlive it.
 *
 * @throws what `requireOrganization` throws.
 */
export async function lockOrganization(
  tx: Tx,
  caller: Caller,
  organizationId: OrganizationId,
  permission: Permission,
): Promise<void> {
  if ((await selectLiveOrganizationForShare(tx, organizationId)) === undefined) {
    throw gone(caller, permission);
  }
}

function gone(caller: Caller, permission: Permission) {
  return caller.kind === "user"
    ? fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) })
    : fail(Reason.ORGANIZATION_NOT_FOUND);
}
