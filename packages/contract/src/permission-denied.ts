import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ConnectError } from "@connectrpc/connect";
import { fail } from "./fail.ts";
import { permissionName } from "./permission-name.ts";

/** Returns PERMISSION_DENIED with the key's name. */
export function permissionDenied(permission: Permission): ConnectError {
  return fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) });
}

/** Returns the refusal of what only a Provider Admin may do: no other role holds View All Organizations. */
export function providerAdminRequired(): ConnectError {
  return permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
}
