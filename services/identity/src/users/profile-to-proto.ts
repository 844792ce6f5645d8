import { create } from "@bufbuild/protobuf";
import { type Profile, ProfileSchema } from "@cloud/proto/identity/v1/records_pb";
import { type OrganizationId, timestampToProto } from "@cloud/rpc";
import type { PreferencesRow } from "../preferences/preferences-sql.ts";
import { preferencesToProto } from "../preferences/preferences-to-proto.ts";
import type { OrganizationWithRolesRow, UserRow } from "./users-sql.ts";

export interface ProfileParts {
  readonly user: UserRow;
  readonly organizations: readonly OrganizationWithRolesRow[];
  readonly preferences: PreferencesRow;
  readonly current: OrganizationId | undefined;
}

/** What a user sees of themselves. */
export function profileToProto({ user, organizations, preferences, current }: ProfileParts): Profile {
  return create(ProfileSchema, {
    id: user.id,
    userId: user.id,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    avatarUrl: user.avatar_url,
    status: user.status,
    roleNames: rolesIn(organizations, current),
    currentOrganization: current ?? "",
    organizations: {
      organizationsWithRoles: organizations.map(({ id, name, role_names }) => ({ id, name, roleNames: role_names })),
      totalCount: organizations.length,
    },
    preferences: preferencesToProto(preferences),
    createdAt: timestampToProto(user.created_at),
    updatedAt: timestampToProto(user.updated_at),
  });
}

/** In an organization where they have no role of its own, a Provider Admin still acts as one. */
function rolesIn(organizations: readonly OrganizationWithRolesRow[], current: OrganizationId | undefined): string[] {
  if (current === undefined) {
    return [];
  }
  const isProviderAdmin = organizations.some(({ role_names }) => role_names.includes("Provider Admin"));
  return organizations.find(({ id }) => id === current)?.role_names ?? (isProviderAdmin ? ["Provider Admin"] : []);
}
