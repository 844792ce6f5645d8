import type { Tx } from "@cloud/postgres";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, type OrganizationId, permissionName, requireCreation } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "./organization-sql.ts";

/**
 * Lets pass who may create in a live organization; asks identity, so call it before the transaction.
 *
 * @throws PERMISSION_DENIED to a user, ORGANIZATION_NOT_FOUND to a service.
 */
export async function requireOrganization(
  context: Context,
  caller: Caller,
  organizationId: OrganizationId,
  permission: Permission,
): Promise<void> {
  if (caller.kind === "user") {
    await requireCreation(caller, organizationId, permission);
  } else if (!(await context.organizations.isLive(organizationId))) {
    throw fail(Reason.ORGANIZATION_NOT_FOUND);
  }
}

/**
 * Keeps the organization live until the end of `tx`: without this lock a record created beside the deletion of its
 * organization would outlive it. A tombstone refuses as if the organization had never been.
 *
 * @throws what `requireOrganization` throws.
 */
export async function lockOrganization(
  tx: Tx,
  caller: Caller,
  organizationId: OrganizationId,
  permission: Permission,
): Promise<void> {
  await insertOrganizationIfMissing(tx, organizationId);
  if ((await selectLiveOrganizationForShare(tx, organizationId)) === undefined) {
    throw caller.kind === "user"
      ? fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) })
      : fail(Reason.ORGANIZATION_NOT_FOUND);
  }
}
