import type { MessageShape } from "@bufbuild/protobuf";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { OrganizationId, UserId } from "./id.ts";
import { permissionName } from "./permission-name.ts";

/** Who calls: a user, held to their permissions, or a service that acts for the system. */
export interface Caller {
  readonly kind: "user" | "service";
  /** Empty for a service. */
  readonly userId: UserId | "";
  /** The organizations that the user is an explicit member of. */
  readonly organizationIds: readonly OrganizationId[];
  /** The header `service-current-orgid`; empty without it. */
  readonly requestedOrganization: string;
  /** Explicit members, Provider Admins in any live organization, services always. May ask identity. */
  isMemberOf(organization: OrganizationId): Promise<boolean>;
  /** Whether the caller has the permission there, provided that they are a member. */
  holds(organization: OrganizationId, permission: Permission): boolean;
  /** Whether the caller has the permission in any organization. */
  holdsAnywhere(permission: Permission): boolean;
  /** Whether the caller has the permission in every organization, member or not: Provider Admins and services. */
  holdsEverywhere(permission: Permission): boolean;
}

/** Who stands behind a token, as identity's AuthService answers it. */
export type Identity = MessageShape<typeof AuthenticateResponseSchema>;

const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** The caller that the authentication interceptor found. */
export function callerOf(context: Pick<HandlerContext, "values">): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) {
    throw new TypeError("no caller: the authentication interceptor did not run");
  }
  return caller;
}

/** Where the authentication interceptor leaves the caller. */
export { callerKey };

/** The caller for a user of identity's. */
export function createCaller(
  identity: Identity,
  requestedOrganization: string,
  organizationIsLive: (organization: OrganizationId) => Promise<boolean>,
): Caller {
  const permissions = new Map(identity.memberships.map((place) => [place.organizationId, new Set(place.permissions)]));
  const everywhere = new Set(identity.everywhere);
  return {
    kind: "user",
    userId: identity.userId as UserId,
    organizationIds: [...permissions.keys()] as OrganizationId[],
    requestedOrganization,
    isMemberOf: async (organization) =>
      permissions.has(organization) || (everywhere.size > 0 && (await organizationIsLive(organization))),
    holds: (organization, permission) =>
      everywhere.has(permissionName(permission)) ||
      (permissions.get(organization)?.has(permissionName(permission)) ?? false),
    holdsAnywhere: (permission) =>
      everywhere.has(permissionName(permission)) ||
      [...permissions.values()].some((held) => held.has(permissionName(permission))),
    holdsEverywhere: (permission) => everywhere.has(permissionName(permission)),
  };
}

/** The caller for a service credential. */
export function serviceCaller(requestedOrganization: string): Caller {
  return {
    kind: "service",
    userId: "",
    organizationIds: [],
    requestedOrganization,
    isMemberOf: async () => true,
    holds: () => true,
    holdsAnywhere: () => true,
    holdsEverywhere: () => true,
  };
}
