import type { Identity } from "./principal.ts";

/** The names of the permission keys of roles, by the role's name. */
export type RolePermissions = ReadonlyMap<string, readonly string[]>;

/** Sets the permissions of each membership: those of its roles, sorted. A role that is not among `roles` has none. */
export function setPermissions(identities: Iterable<Identity>, roles: RolePermissions): void {
  for (const { memberships } of identities) {
    for (const place of memberships) place.permissions = permissionsOf(place.roleNames, roles);
  }
}

function permissionsOf(roleNames: readonly string[], roles: RolePermissions): string[] {
  const names = roleNames.flatMap((role) => roles.get(role) ?? []);
  return roleNames.length === 1 ? names : [...new Set(names)].sort();
}
