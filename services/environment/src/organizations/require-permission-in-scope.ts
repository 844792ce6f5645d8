import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, type OrganizationId, permissionName, requirePermission } from "@cloud/rpc";

/** Listing all organizations takes the permission in every one of them. @throws PERMISSION_DENIED. */
export function requirePermissionInScope(caller: Caller, scope: "all" | OrganizationId, permission: Permission): void {
  if (scope !== "all") {
    requirePermission(caller, scope, permission);
  } else if (!caller.holdsEverywhere(permission)) {
    throw fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) });
  }
}
