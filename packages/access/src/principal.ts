import { getOption, type MessageShape } from "@bufbuild/protobuf";
import {
  type Permission,
  PermissionSchema,
  permission_name as permissionNameOption,
} from "@cloud/proto/cloud/api/v1/permission_pb";
import type { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import type { OrganizationId, UserId } from "./values.ts";

/**
 * The user or service behind a bearer token, with all permissions. Handlers receive a `Caller`, which checks the RPC's
 * only.
 */
export interface Principal {
  readonly type: "user" | "service";
  /** Empty for a service. */
  readonly userId: UserId | "";
  /** The name of a service; empty for a user. */
  readonly serviceName: string;
  /** The organizations that the user is an explicit member of. */
  readonly organizationIds: readonly OrganizationId[];
  /** The header `service-current-orgid`; empty without it. */
  readonly requestedOrganization: string;
  /**
   * Returns whether the principal is a member: explicit members, Provider Admins of any live organization, and services
   * always. May call identity.
   */
  isMemberOf(organization: OrganizationId): Promise<boolean>;
  /** Whether the principal has the permission there, provided that they are a member. */
  holds(organization: OrganizationId, permission: Permission): boolean;
  /** Whether the principal has the permission in any organization. */
  holdsAnywhere(permission: Permission): boolean;
  /** Whether the principal has the permission in every organization, member or not: Provider Admins and services. */
  holdsEverywhere(permission: Permission): boolean;
}

/** The user behind a token, as identity's AuthService reports them. */
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
    type: "user",
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
    type: "service",
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

/** The names of the permission keys of roles, by the role's name. */
export type RolePermissions = ReadonlyMap<string, readonly string[]>;

/**
 * Sets the permissions of each membership to the ones of its roles, sorted. A role that is not among `roles` has none.
 */
export function setPermissions(identities: Iterable<Identity>, roles: RolePermissions): void {
  for (const { memberships } of identities) {
    for (const place of memberships) place.permissions = permissionsOf(place.roleNames, roles);
  }
}

function permissionsOf(roleNames: readonly string[], roles: RolePermissions): string[] {
  const names = roleNames.flatMap((role) => roles.get(role) ?? []);
  return roleNames.length === 1 ? names : [...new Set(names)].sort();
}

const names = new Map(PermissionSchema.values.map((value) => [value.number, getOption(value, permissionNameOption)]));

/** Returns the key as it is displayed and stored by identity, such as `Create Workspace`. */
export function permissionName(permission: Permission): string {
  return names.get(permission) ?? "";
}

/** The prefix that distinguishes our tokens from other systems', for people and for scanners for leaked secrets. */
export const TOKEN_PREFIX = "cst_";

/** The most tokens of one look-up. */
export const MAX_TOKENS = 256;

/** The form of a token: 43 characters of base64url carry 256 bits. */
const FORM = /^cst_[\w-]{43}$/;

/**
 * Returns whether a text may be a security token. If not, neither identity nor its database is asked: an invented token
 * costs a regular expression instead of a call and a query.
 */
export function hasTokenForm(text: string): boolean {
  return FORM.test(text);
}

/** Returns the token of an Authorization header (RFC 6750, 2.1); the scheme is case-insensitive. */
export function bearerOf(header: string | null | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(header?.trim() ?? "")?.[1];
}

/**
 * The header with which the gateway marks a call as a user's. No service credential is accepted on such a call, so that
 * one that leaked is worth nothing at the public port. The gateway never forwards the header of a client.
 */
export const CALLER_MARK = { header: "x-cloud-caller", value: "user" } as const;

/** The header of a reply to a marked call with the id of its caller, for the gateway's log. */
export const CALLER_ID_HEADER = "x-cloud-caller-id";
