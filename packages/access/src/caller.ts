import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ConnectError } from "@connectrpc/connect";
import type { RateLimitState } from "./errors/rate-limits.ts";
import { isId, type OrganizationId, type UserId } from "./values.ts";

/**
 * The caller of an RPC, with the checks of what its options `permission` and `scope` declare. No method takes a
 * permission: a handler can neither forget the declared one (no write and no reply without it) nor check another.
 */
export interface Caller {
  readonly type: "user" | "service";
  /** Empty for a service. */
  readonly userId: UserId | "";
  /** The name of a service; empty for a user. */
  readonly serviceName: string;
  /** The organizations that the user is an explicit member of. */
  readonly organizationIds: readonly OrganizationId[];
  /** The header `service-current-orgid`; empty if absent. */
  readonly requestedOrganization: string;
  /** Whether the caller holds View All Organizations, as Provider Admins and services do. */
  readonly seesAllOrganizations: boolean;

  /**
   * Returns whether the caller is a member: explicit members, Provider Admins of any live organization, and services
   * always. May call identity.
   */
  isMemberOf(organization: OrganizationId): Promise<boolean>;
  /**
   * Requires membership only: a record of an organization that the caller is not in does not exist to them.
   *
   * @throws the given reason.
   */
  requireMembership(organization: OrganizationId, notFound: Reason): Promise<void>;
  /**
   * Requires membership of the organization that owns the record, then the permission of the RPC there, where it
   * declares one. With SCOPE_RECORD_OR_OWNER the `owner` of the record needs no permission.
   *
   * @throws `notFound`, PERMISSION_DENIED.
   */
  requireAccess(organization: OrganizationId, notFound: Reason, owner?: string): Promise<void>;
  /**
   * Does the second half of `requireAccess`, for handlers that do something between the two.
   *
   * @throws PERMISSION_DENIED, TypeError when membership of the organization was not established before.
   */
  requirePermission(organization: OrganizationId, owner?: string): void;
  /**
   * Requires SCOPE_CREATION's permission. A foreign organization is refused like a missing permission.
   *
   * @throws PERMISSION_DENIED.
   */
  requireCreation(organization: OrganizationId): Promise<void>;
  /** Declares, with SCOPE_RECORD_OR_CALLER, that the request names no record and concerns the caller's own data. */
  requireOwn(): void;
  /**
   * Requires SCOPE_RECORD_OR_ALL's permission in every organization, for a request that names no record.
   *
   * @throws PERMISSION_DENIED (View All Organizations).
   */
  requireEverywhere(): void;
  /** Requires SCOPE_ANY_ORGANIZATION's permission. @throws PERMISSION_DENIED. */
  requireAnywhere(): void;
  /**
   * Returns what a list's `orgId` covers. The RPC's permission, where it declares one, is required in all of it.
   *
   * @throws ORG_ID_REQUIRED, PERMISSION_DENIED (View All Organizations) for `all` and for a foreign organization,
   * ORGANIZATION_NOT_FOUND for one that does not exist, to callers who may see all.
   */
  requireListScope(orgId: string): Promise<"all" | OrganizationId>;
  /**
   * Requires SCOPE_LIST_OR_CURRENT's permission in the organization that the caller works in, where there is one.
   *
   * @throws PERMISSION_DENIED, TypeError when membership of the organization was not established before.
   */
  requireCurrent(organization: OrganizationId | undefined): void;
  /** Returns the error for a caller without the RPC's permission, for an organization that was deleted meanwhile. */
  permissionDenied(): ConnectError;
  /** Declares that the call has failed: the failure may be recorded without the permission, and no reply leaves. */
  abandon(): void;
}

/** A call's caller, and whether what the RPC declares was checked. */
export interface Authorization {
  readonly caller: Caller;
  /** The first organization that the caller has proved to be in; undefined before, and for a list of all. */
  readonly organization: OrganizationId | undefined;
  /** The rate limits that the call was counted for so far. */
  readonly rateLimits: readonly RateLimitState[];
  /**
   * Requires that the handler has checked what the RPC declares, and has not abandoned the call.
   *
   * @throws TypeError otherwise.
   */
  assertMayReply(): void;
  /**
   * Requires that the handler has checked what the RPC declares, or has abandoned the call.
   *
   * @throws TypeError otherwise.
   */
  assertMayWrite(): void;
}

/** Identifies the caller of a stream again, while the stream lasts. */
export interface AccessCheck {
  /** Equal for calls with the same credentials, for which one check is enough. It contains them: it is never logged. */
  readonly key: string;
  /** Returns the caller as identity reports it now, without counting a request. @throws UNAUTHENTICATED, UNAVAILABLE */
  again(): Promise<Caller>;
}

/** Returns the owner of a new record: the user who calls, or the one whom a service names; empty if it names none. */
export function ownerFor(caller: Pick<Caller, "type" | "userId">, requested: string): UserId | "" {
  if (caller.type === "user") {
    return caller.userId;
  }
  return isId(requested) ? (requested.toLowerCase() as UserId) : "";
}
