import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import { type AccessRule, scopeName } from "./access-rule.ts";
import { fail } from "./errors/fail.ts";
import type { RateLimitState } from "./errors/rate-limits.ts";
import { permissionDenied, providerAdminRequired, resolveListScope } from "./lists/lists.ts";
import type { Principal } from "./principal.ts";
import { isId, type OrganizationId, type UserId } from "./values.ts";

/** Counts a request for the organization that it acts on. @throws RATE_LIMITED */
export type CountOrganization = (organization: OrganizationId) => Promise<RateLimitState>;

/** The rate limits of a call; it has none if absent. */
interface CallLimits {
  /** Counts for the limit of the organization; there is none if absent. */
  readonly countOrganization?: CountOrganization | undefined;
  /** The limits that the call was counted for before its authorization. */
  readonly counted: readonly RateLimitState[];
}

const UNLIMITED: CallLimits = { counted: [] };

/**
 * A call is in one of these states:
 *
 * - unchecked: the handler has not checked what the RPC declares. It may neither write nor reply.
 * - checked: the handler has, or there is nothing to check. It may do both.
 * - abandoned: the call has failed. The failure may be recorded, and no reply leaves.
 */
type State = "unchecked" | "checked" | "abandoned";

/**
 * The caller of an RPC, with the checks of what its options `permission` and `scope` declare. No method takes a
 * permission: a handler can neither forget the declared one (no write and no reply without it) nor check another. One
 * class, although long: its state decides whether the call may write and reply.
 */
export class Caller {
  readonly type: Principal["type"];
  /** Empty for a service. */
  readonly userId: Principal["userId"];
  /** The name of a service; empty for a user. */
  readonly serviceName: string;
  /** The organizations that the user is an explicit member of. */
  readonly organizationIds: readonly OrganizationId[];
  /** The header `service-current-orgid`; empty if absent. */
  readonly requestedOrganization: string;
  /** Whether the caller holds View All Organizations, as Provider Admins and services do. */
  readonly seesAllOrganizations: boolean;
  readonly #principal: Principal;
  readonly #rule: AccessRule;
  /** The organizations in which membership was established. */
  readonly #memberships = new Set<OrganizationId>();
  #state: State;
  #organization: OrganizationId | undefined;
  /** Undefined once the request was counted, and for services, which have no limit. */
  #count: CountOrganization | undefined;
  #rateLimits: readonly RateLimitState[];

  constructor(principal: Principal, rule: AccessRule, { countOrganization, counted }: CallLimits = UNLIMITED) {
    this.type = principal.type;
    this.userId = principal.userId;
    this.serviceName = principal.serviceName;
    this.organizationIds = principal.organizationIds;
    this.requestedOrganization = principal.requestedOrganization;
    this.seesAllOrganizations = principal.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
    this.#principal = principal;
    this.#rule = rule;
    this.#count = principal.type === "user" ? countOrganization : undefined;
    this.#rateLimits = counted;
    // The interceptor enforces the audience; a caller's own records need no more than the caller.
    this.#state = rule.forServicesOnly || rule.scope === Scope.CALLER ? "checked" : "unchecked";
  }

  /** The first organization that the caller has proved to be in; undefined before, and for a list of all. */
  get organization(): OrganizationId | undefined {
    return this.#organization;
  }

  /** The rate limits that the call was counted for so far. */
  get rateLimits(): readonly RateLimitState[] {
    return this.#rateLimits;
  }

  /**
   * Returns whether the caller is a member: explicit members, Provider Admins of any live organization, and services
   * always. May call identity.
   */
  async isMemberOf(organization: OrganizationId): Promise<boolean> {
    const isMember = await this.#principal.isMemberOf(organization); // protects: membership
    if (isMember) {
      this.#memberships.add(organization);
      await this.#countFor(organization);
    }
    return isMember;
  }

  /**
   * Requires membership only: a record of an organization that the caller is not in does not exist to them.
   *
   * @throws the given reason.
   */
  async requireMembership(organization: OrganizationId, notFound: Reason): Promise<void> {
    if (!(await this.isMemberOf(organization))) {
      throw fail(notFound);
    }
  }

  /**
   * Requires membership of the organization that owns the record, then the permission of the RPC there, where it
   * declares one. With SCOPE_RECORD_OR_OWNER the `owner` of the record needs no permission.
   *
   * @throws `notFound`, PERMISSION_DENIED.
   */
  async requireAccess(organization: OrganizationId, notFound: Reason, owner = ""): Promise<void> {
    await this.requireMembership(organization, notFound);
    this.requirePermission(organization, owner);
  }

  /**
   * Does the second half of `requireAccess`, for handlers that do something between the two.
   *
   * @throws PERMISSION_DENIED, TypeError when membership of the organization was not established before.
   */
  requirePermission(organization: OrganizationId, owner = ""): void {
    this.#assertScope(Scope.RECORD, Scope.RECORD_OR_OWNER, Scope.RECORD_OR_CALLER, Scope.RECORD_OR_ALL);
    this.#assertMember(organization);
    const isOwner = this.#rule.scope === Scope.RECORD_OR_OWNER && owner !== "" && owner === this.userId;
    this.#grant(isOwner || this.#holds(organization));
  }

  /**
   * Requires SCOPE_CREATION's permission. A foreign organization is refused like a missing permission.
   *
   * @throws PERMISSION_DENIED.
   */
  async requireCreation(organization: OrganizationId): Promise<void> {
    this.#assertScope(Scope.CREATION);
    this.#grant(this.#holds(organization) && (await this.isMemberOf(organization)));
  }

  /** Declares, with SCOPE_RECORD_OR_CALLER, that the request names no record and concerns the caller's own data. */
  requireOwn(): void {
    this.#assertScope(Scope.RECORD_OR_CALLER);
    this.#grant(true);
  }

  /**
   * Requires SCOPE_RECORD_OR_ALL's permission in every organization, for a request that names no record.
   *
   * @throws PERMISSION_DENIED (View All Organizations).
   */
  requireEverywhere(): void {
    this.#assertScope(Scope.RECORD_OR_ALL);
    if (!this.seesAllOrganizations) throw providerAdminRequired();
    this.#grant(this.#holdsEverywhere());
  }

  /** Requires SCOPE_ANY_ORGANIZATION's permission. @throws PERMISSION_DENIED. */
  requireAnywhere(): void {
    this.#assertScope(Scope.ANY_ORGANIZATION);
    this.#grant(this.#principal.holdsAnywhere(this.#rule.permission));
  }

  /**
   * Returns what a list's `orgId` covers. The RPC's permission, where it declares one, is required in all of it.
   *
   * @throws ORG_ID_REQUIRED, PERMISSION_DENIED (View All Organizations) for `all` and for a foreign organization,
   * ORGANIZATION_NOT_FOUND for one that does not exist, to callers who may see all.
   */
  async requireListScope(orgId: string): Promise<"all" | OrganizationId> {
    this.#assertScope(Scope.LIST, Scope.LIST_OR_CURRENT);
    const scope = await resolveListScope(this.#principal, orgId);
    if (scope !== "all") await this.#countFor(scope);
    // Listing all organizations takes the permission in every one of them.
    this.#grant(scope === "all" ? this.#holdsEverywhere() : this.#holds(scope));
    return scope;
  }

  /**
   * Requires SCOPE_LIST_OR_CURRENT's permission in the organization that the caller works in, where there is one.
   *
   * @throws PERMISSION_DENIED, TypeError when membership of the organization was not established before.
   */
  requireCurrent(organization: OrganizationId | undefined): void {
    this.#assertScope(Scope.LIST_OR_CURRENT);
    this.#assertMember(organization);
    this.#grant(organization === undefined || this.#holds(organization));
  }

  /** Returns the error for a caller without the RPC's permission, for an organization that was deleted meanwhile. */
  permissionDenied(): ConnectError {
    return permissionDenied(this.#rule.permission);
  }

  /** Declares that the call has failed: the failure may be recorded without the permission, and no reply leaves. */
  abandon(): void {
    this.#state = "abandoned";
  }

  /**
   * Requires that the handler has checked what the RPC declares, and has not abandoned the call.
   *
   * @throws TypeError otherwise.
   */
  assertMayReply(): void {
    this.#assertState("replied", "checked");
  }

  /** Requires that the handler has checked what the RPC declares, or has abandoned the call. @throws TypeError */
  assertMayWrite(): void {
    this.#assertState("wrote", "checked", "abandoned");
  }

  #assertState(what: string, ...states: State[]): void {
    if (!states.includes(this.#state)) {
      throw new TypeError(`${this.#rule.method} ${what} without the check of its declared scope (${this.#state})`);
    }
  }

  /**
   * Counts the request once, for the first organization that the caller proves to be in, so that a caller cannot use up
   * the limit of an organization that they may not see. Runs before the check of the permission, whose refusal is
   * written to the log of a workspace.
   */
  async #countFor(organization: OrganizationId): Promise<void> {
    this.#organization ??= organization;
    const count = this.#count;
    this.#count = undefined;
    if (count !== undefined) this.#rateLimits = [...this.#rateLimits, await count(organization)];
  }

  #assertMember(organization: OrganizationId | undefined): void {
    if (organization === undefined || this.#memberships.has(organization)) return;
    throw new TypeError(`${this.#rule.method} checked the permission before membership: 404 comes before 403`);
  }

  #holds(organization: OrganizationId): boolean {
    return !this.#needsKey() || this.#principal.holds(organization, this.#rule.permission);
  }

  #holdsEverywhere(): boolean {
    return !this.#needsKey() || this.#principal.holdsEverywhere(this.#rule.permission);
  }

  #needsKey(): boolean {
    return this.#rule.permission !== Permission.UNSPECIFIED;
  }

  /**
   * Requires that the RPC declares one of the scopes. One for services only passes: it may share the code of one for
   * users.
   */
  #assertScope(...scopes: Scope[]): void {
    if (!this.#rule.forServicesOnly && !scopes.includes(this.#rule.scope)) {
      throw new TypeError(`${this.#rule.method} declares ${scopeName(this.#rule.scope)} and checks another scope`);
    }
  }

  #grant(isGranted: boolean): void {
    if (!isGranted) throw this.permissionDenied();
    if (this.#state === "unchecked") this.#state = "checked";
  }
}

/** The key under which the authentication interceptor keeps the caller. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Returns the caller of an RPC. @throws TypeError when the authentication interceptor did not run. */
export function callerOf(context: Pick<HandlerContext, "values">): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new TypeError("no caller: the authentication interceptor did not run");
  return caller;
}

/** Identifies the caller of a stream again, while the stream lasts. */
export interface AccessCheck {
  /** Equal for calls with the same credentials, for which one check is enough. It contains them: it is never logged. */
  readonly key: string;
  /** Returns the caller as identity reports it now, without counting a request. @throws UNAUTHENTICATED, UNAVAILABLE */
  again(): Promise<Caller>;
}

/** The key of a stream's check; unary calls have none. */
export const accessCheckKey = createContextKey<AccessCheck | undefined>(undefined, { description: "access check" });

/** Returns the owner of a new record: the user who calls, or the one whom a service names; empty if it names none. */
export function ownerFor(caller: Pick<Caller, "type" | "userId">, requested: string): UserId | "" {
  if (caller.type === "user") {
    return caller.userId;
  }
  return isId(requested) ? (requested.toLowerCase() as UserId) : "";
}
