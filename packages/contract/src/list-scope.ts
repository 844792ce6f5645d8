import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ConnectError } from "@connectrpc/connect";
import { fail } from "./fail.ts";
import { type Principal, permissionName } from "./principal.ts";
import { isId, type OrganizationId } from "./values.ts";

/** How older clients spell the all-organizations value. */
const ALL_ORGANIZATIONS = new Set(["all", "11111111-1111-1111-1111-111111111111"]);

/** Returns what a list's `orgId` covers. @throws what `Caller.requireListScope` throws, but for the RPC's permission. */
export async function resolveListScope(principal: Principal, orgId: string): Promise<"all" | OrganizationId> {
  if (orgId === "") {
    throw fail(Reason.ORG_ID_REQUIRED);
  }
  const seesAll = principal.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
  if (ALL_ORGANIZATIONS.has(orgId.toLowerCase())) {
    if (!seesAll) {
      throw permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
    }
    return "all";
  }
  const organization = orgId.toLowerCase() as OrganizationId;
  if (!isId(orgId) || !(await principal.isMemberOf(organization))) {
    throw seesAll ? fail(Reason.ORGANIZATION_NOT_FOUND) : permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
  }
  return organization;
}

/** Returns PERMISSION_DENIED with the key's name. */
export function permissionDenied(permission: Permission): ConnectError {
  return fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) });
}

/** Returns the refusal of what only a Provider Admin may do: no other role holds View All Organizations. */
export function providerAdminRequired(): ConnectError {
  return permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
}
