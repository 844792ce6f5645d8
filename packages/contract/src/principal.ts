import type { MessageShape } from "@bufbuild/protobuf";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import type { OrganizationId, UserId } from "./id.ts";
import { permissionName } from "./permission-name.ts";

/** Who is behind a bearer token, with all permissions. Handlers receive a `Caller`, which checks the RPC's only. */
export interface Principal {
  readonly kind: "user" | "service";
  /** Empty for a service. */
  readonly userId: UserId | "";
  /** Which service it is; empty for a user. */
  readonly serviceName: string;
  /** The organizations that the user is an explicit member of. */
  readonly organizationIds: readonly OrganizationId[];
  /** The header `service-current-orgid`; empty without it. */
  readonly requestedOrganization: string;
  /** Explicit members, Provider Admins in any live organization, services always. May ask identity. */
  isMemberOf(organization: OrganizationId): Promise<boolean>;
  /** Whether the principal has the permission there, provided that they are a member. */
  holds(organization: OrganizationId, permission: Permission): boolean;
  /** Whether the principal has the permission in any organization. */
  holdsAnywhere(permission: Permission): boolean;
  /** Whether the principal has the permission in every organization, member or not: Provider Admins and services. */
  holdsEverywhere(permission: Permission): boolean;
}

/** Who is behind a token, as identity's AuthService reports it. */
export type Identity = MessageShape<typeof AuthenticateResponseSchema>;

/** Returns the principal for a user of identity's. */
export function userPrincipal(
  identity: Identity,
  requestedOrganization: string,
  organizationIsLive: (organization: OrganizationId) => Promise<boolean>,
): Principal {
  // Not sets, which took 15 µs of each request: a request asks about one permission, and a role has a few dozen.
  const permissions = new Map(identity.memberships.map((place) => [place.organizationId, place.permissions]));
  const { everywhere } = identity;
  return {
    kind: "user",
    userId: identity.userId as UserId,
    serviceName: "",
    organizationIds: [...permissions.keys()] as OrganizationId[],
    requestedOrganization,
    isMemberOf: async (organization) =>
      permissions.has(organization) || (everywhere.length > 0 && (await organizationIsLive(organization))),
    holds: (organization, permission) =>
      everywhere.includes(permissionName(permission)) ||
      (permissions.get(organization)?.includes(permissionName(permission)) ?? false),
    holdsAnywhere: (permission) =>
      everywhere.includes(permissionName(permission)) ||
      [...permissions.values()].some((held) => held.includes(permissionName(permission))),
    holdsEverywhere: (permission) => everywhere.includes(permissionName(permission)),
  };
}

/** Returns the principal for a service credential. It holds every permission. */
export function servicePrincipal(requestedOrganization: string, serviceName: string): Principal {
  return {
    kind: "service",
    userId: "",
    serviceName,
    organizationIds: [],
    requestedOrganization,
    isMemberOf: async () => true,
    holds: () => true,
    holdsAnywhere: () => true,
    holdsEverywhere: () => true,
  };
}
