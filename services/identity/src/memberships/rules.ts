import { fail, providerAdminRequired } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** The roles, lowest first, as the specification names them. */
export const ROLE_NAMES = ["User", "Team Admin", "Workspace Admin", "Org Admin", "Provider Admin"] as const;

export type RoleName = (typeof ROLE_NAMES)[number];

/** The admin roles of a user: in one organization, and in the system. */
export interface AdminRoles {
  readonly isOrgAdmin: boolean;
  readonly isProviderAdmin: boolean;
}

/** Parses role names: returns each once, lowest first. @throws INVALID_PARAMETER for none, or for an unknown one. */
export function parseRoleNames(names: readonly string[]): RoleName[] {
  const known: readonly string[] = ROLE_NAMES;
  if (names.length === 0 || !names.every((name) => known.includes(name))) {
    throw fail(Reason.INVALID_PARAMETER, {
      parameter: "role_names",
      accepts: "a list of at least one of " + ROLE_NAMES.join(", "),
    });
  }
  return ROLE_NAMES.filter((name) => names.includes(name));
}

/**
 * Requires a Provider Admin to assign or remove the role Provider Admin, which holds in every organization. No other
 * role holds more permissions than an Org Admin, so Manage Organization suffices to assign or remove them.
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
    throw providerAdminRequired();
  }
}
