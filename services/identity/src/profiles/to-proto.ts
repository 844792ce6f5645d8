import { create } from "@bufbuild/protobuf";
import { type OrganizationId, timestampToProto } from "@cloud/access/values";
import { type Profile, ProfileSchema } from "@cloud/proto/identity/v1/records_pb";
import type { PreferencesRow } from "../selections/preferences-sql.ts";
import { preferencesToProto } from "../to-proto.ts";
import type { OrganizationWithRolesRow, UserRow } from "../users/sql.ts";

interface ProfileParts {
  readonly user: UserRow;
  readonly organizations: readonly OrganizationWithRolesRow[];
  readonly preferences: PreferencesRow;
  readonly currentId: OrganizationId | undefined;
}

/** Builds the profile that a user sees of themselves. */
export function profileToProto({ user, organizations, preferences, currentId }: ProfileParts): Profile {
  return create(ProfileSchema, {
    id: user.id,
    userId: user.id,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    avatarUrl: user.avatar_url,
    status: user.status,
    roleNames: rolesIn(organizations, currentId),
    currentOrganization: currentId ?? "",
    organizations: {
      organizationsWithRoles: organizations.map(({ id, name, role_names }) => ({ id, name, roleNames: role_names })),
      totalCount: organizations.length,
    },
    preferences: preferencesToProto(preferences),
    createdAt: timestampToProto(user.created_at),
    updatedAt: timestampToProto(user.updated_at),
  });
}

/** Returns the user's roles in the current organization. A Provider Admin without a role there still acts as one. */
function rolesIn(organizations: readonly OrganizationWithRolesRow[], currentId: OrganizationId | undefined): string[] {
  if (currentId === undefined) {
    return [];
  }
  const isProviderAdmin = organizations.some(({ role_names }) => role_names.includes("Provider Admin"));
  return organizations.find(({ id }) => id === currentId)?.role_names ?? (isProviderAdmin ? ["Provider Admin"] : []);
}
