import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, permissionName } from "@cloud/rpc";

/** The roles, lowest first, as the specification names them. */
export const ROLE_NAMES = ["User", "Team Admin", "Workspace Admin", "Org Admin", "Provider Admin"] as const;

export type RoleName = (typeof ROLE_NAMES)[number];

/** At least one known role; lowest first, each once. @throws INVALID_PARAMETER. */
export function parseRoleNames(names: readonly string[]): RoleName[] {
  const known: readonly string[] = ROLE_NAMES;
  if (names.length === 0 || !names.every((name) => known.includes(name))) {
    throw fail(Reason.INVALID_PARAMETER, {
      parameter: "roleNames",
      accepts: "a list of at least one of " + ROLE_NAMES.join(", "),
    });
  }
  return ROLE_NAMES.filter((name) => names.includes(name));
}

/**
 * A Provider Admin has power over every organization, so only who has that power gives or takes it. Every other role
 * holds no more than an Org Admin does, so that Manage Organization suffices for them.
 *
 * @throws PERMISSION_DENIED (View All Organizations, which only a Provider Admin holds).
 */
export function assertMayChangeRoles(change: {
  readonly before: readonly RoleName[];
  readonly after: readonly RoleName[];
  readonly callerIsProviderAdmin: boolean;
}): void {
  const concernsProviderAdmin = change.before.includes("Provider Admin") !== change.after.includes("Provider Admin");
  if (concernsProviderAdmin && !change.callerIsProviderAdmin) {
    throw fail(Reason.PERMISSION_DENIED, { permission: permissionName(Permission.VIEW_ALL_ORGANIZATIONS) });
  }
}
