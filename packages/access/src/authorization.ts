import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { type AccessRule, scopeName } from "./access-rule.ts";
import type { AccessCheck, Authorization, Caller } from "./caller.ts";
import { fail } from "./errors/fail.ts";
import type { RateLimitState } from "./errors/rate-limits.ts";
import { permissionDenied, providerAdminRequired, resolveListScope } from "./lists/lists.ts";
import type { Principal } from "./principal.ts";
import type { OrganizationId } from "./values.ts";

/** Counts a request for the organization that it acts on. @throws RATE_LIMITED */
export type CountOrganization = (organization: OrganizationId) => Promise<RateLimitState>;

/** The rate limits of a call; it has none if absent. */
interface CallLimits {
  /** Counts for the limit of the organization; there is none if absent. */
  readonly countOrganization?: CountOrganization | undefined;
  /** The limits that the call was counted for before its authorization. */
  readonly counted: readonly RateLimitState[];
}

/**
 * Prepares the authorization of one call by what its method declares. Every check names the method's own permission.
 */
export function authorizeCall(principal: Principal, rule: AccessRule, limits: CallLimits = UNLIMITED): Authorization {
  const caller = new CallCaller(principal, rule, limits);
  return {
    caller,
    get organization() {
      return caller.organization;
    },
    get rateLimits() {
      return caller.rateLimits;
    },
    assertMayReply: () => caller.assert("replied", "checked"),
    assertMayWrite: () => caller.assert("wrote", "checked", "abandoned"),
  };
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

class CallCaller implements Caller {
  readonly type;
  readonly userId;
  readonly serviceName;
  readonly organizationIds;
  readonly requestedOrganization;
  readonly seesAllOrganizations;
  readonly #principal: Principal;
  readonly #rule: AccessRule;
  /** The organizations in which membership was established. */
  readonly #memberships = new Set<OrganizationId>();
  #state: State;
  #organization: OrganizationId | undefined;
  /** Undefined once the request was counted, and for services, which have no limit. */
  #count: CountOrganization | undefined;
  #rateLimits: readonly RateLimitState[];

  constructor(principal: Principal, rule: AccessRule, { countOrganization, counted }: CallLimits) {
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

  get organization(): OrganizationId | undefined {
    return this.#organization;
  }

  get rateLimits(): readonly RateLimitState[] {
    return this.#rateLimits;
  }

  async isMemberOf(organization: OrganizationId): Promise<boolean> {
    const isMember = await this.#principal.isMemberOf(organization); // protects: membership
    if (isMember) {
      this.#memberships.add(organization);
      await this.#countFor(organization);
    }
    return isMember;
  }

  async requireMembership(organization: OrganizationId, notFound: Reason): Promise<void> {
    if (!(await this.isMemberOf(organization))) {
      throw fail(notFound);
    }
  }

  async requireAccess(organization: OrganizationId, notFound: Reason, owner = ""): Promise<void> {
    await this.requireMembership(organization, notFound);
    this.requirePermission(organization, owner);
  }

  requirePermission(organization: OrganizationId, owner = ""): void {
    this.#assertScope(Scope.RECORD, Scope.RECORD_OR_OWNER, Scope.RECORD_OR_CALLER, Scope.RECORD_OR_ALL);
    this.#assertMember(organization);
    const isOwner = this.#rule.scope === Scope.RECORD_OR_OWNER && owner !== "" && owner === this.userId;
    this.#grant(isOwner || this.#holds(organization));
  }

  async requireCreation(organization: OrganizationId): Promise<void> {
    this.#assertScope(Scope.CREATION);
    this.#grant(this.#holds(organization) && (await this.isMemberOf(organization)));
  }

  requireOwn(): void {
    this.#assertScope(Scope.RECORD_OR_CALLER);
    this.#grant(true);
  }

  requireEverywhere(): void {
    this.#assertScope(Scope.RECORD_OR_ALL);
    if (!this.seesAllOrganizations) throw providerAdminRequired();
    this.#grant(this.#holdsEverywhere());
  }

  requireAnywhere(): void {
    this.#assertScope(Scope.ANY_ORGANIZATION);
    this.#grant(this.#principal.holdsAnywhere(this.#rule.permission));
  }

  async requireListScope(orgId: string): Promise<"all" | OrganizationId> {
    this.#assertScope(Scope.LIST, Scope.LIST_OR_CURRENT);
    const scope = await resolveListScope(this.#principal, orgId);
    if (scope !== "all") await this.#countFor(scope);
    // Listing all organizations takes the permission in every one of them.
    this.#grant(scope === "all" ? this.#holdsEverywhere() : this.#holds(scope));
    return scope;
  }

  requireCurrent(organization: OrganizationId | undefined): void {
    this.#assertScope(Scope.LIST_OR_CURRENT);
    this.#assertMember(organization);
    this.#grant(organization === undefined || this.#holds(organization));
  }

  permissionDenied() {
    return permissionDenied(this.#rule.permission);
  }

  abandon(): void {
    this.#state = "abandoned";
  }

  assert(what: string, ...states: State[]): void {
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

/** The key under which the authentication interceptor keeps the authorization of a call. */
export const authorizationKey = createContextKey<Authorization | undefined>(undefined, {
  description: "authorization",
});

/** The key of a stream's check; unary calls have none. */
export const accessCheckKey = createContextKey<AccessCheck | undefined>(undefined, { description: "access check" });

/** Returns the authorization of a call. @throws TypeError when the authentication interceptor did not run. */
export function authorizationOf(context: Pick<HandlerContext, "values">): Authorization {
  const authorization = context.values.get(authorizationKey);
  if (authorization === undefined) {
    throw new TypeError("no caller: the authentication interceptor did not run");
  }
  return authorization;
}

/** Returns the caller that the authentication interceptor found. */
export function callerOf(context: Pick<HandlerContext, "values">): Caller {
  return authorizationOf(context).caller;
}
