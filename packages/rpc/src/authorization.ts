import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Caller } from "./caller.ts";
import { fail } from "./fail.ts";
import { isId, type OrganizationId, type UserId } from "./id.ts";
import { permissionName } from "./permission-name.ts";

/** How older clients spell the all-organizations value. */
const ALL_ORGANIZATIONS = new Set(["all", "11111111-1111-1111-1111-111111111111"]);

/** A record of an organization that the caller is not in does not exist to them. @throws the given reason. */
export async function requireMembership(caller: Caller, organization: OrganizationId, notFound: Reason): Promise<void> {
  if (!(await caller.isMemberOf(organization))) {
    throw fail(notFound);
  }
}

/** @throws PERMISSION_DENIED with the key's name. */
export function requirePermission(caller: Caller, organization: OrganizationId, permission: Permission): void {
  if (!caller.holds(organization, permission)) {
    throw denied(permission);
  }
}

/** May the caller create something in the organization? A foreign one is refused like a missing permission. */
export async function requireCreation(
  caller: Caller,
  organization: OrganizationId,
  permission: Permission,
): Promise<void> {
  if (!caller.holds(organization, permission) || !(await caller.isMemberOf(organization))) {
    throw denied(permission);
  }
}

/**
 * What a list's `orgId` allows to be listed.
 *
 * @throws ORG_ID_REQUIRED, PERMISSION_DENIED (View All Organizations) for `all` and for a foreign organization,
 * ORGANIZATION_NOT_FOUND for one that does not exist, to those who may see all.
 */
export async function requireListScope(caller: Caller, orgId: string): Promise<"all" | OrganizationId> {
  if (orgId === "") {
    throw fail(Reason.ORG_ID_REQUIRED);
  }
  const seesAll = caller.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
  if (ALL_ORGANIZATIONS.has(orgId.toLowerCase())) {
    if (!seesAll) {
      throw denied(Permission.VIEW_ALL_ORGANIZATIONS);
    }
    return "all";
  }
  const organization = orgId.toLowerCase() as OrganizationId;
  if (!isId(orgId) || !(await caller.isMemberOf(organization))) {
    throw seesAll ? fail(Reason.ORGANIZATION_NOT_FOUND) : denied(Permission.VIEW_ALL_ORGANIZATIONS);
  }
  return organization;
}

/** In whose name a record is created: the user, or whom a service names. */
export function ownerFor(caller: Caller, requested: string): UserId | "" {
  if (caller.kind === "user") {
    return caller.userId;
  }
  return isId(requested) ? (requested.toLowerCase() as UserId) : "";
}

function denied(permission: Permission) {
  return fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) });
}
