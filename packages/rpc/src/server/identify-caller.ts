import { hash, timingSafeEqual } from "node:crypto";
import {
  type AccessCheck,
  type AccessRule,
  Caller,
  type CountOrganization,
  callerKey,
  mayCall,
  type ServiceCallerName,
  type ServiceCredential,
} from "@cloud/access";
import { fail, type RateLimitState, reasonOf } from "@cloud/access/errors";
import {
  bearerOf,
  CALLER_MARK,
  hasTokenForm,
  type Identity,
  type Principal,
  servicePrincipal,
  userPrincipal,
} from "@cloud/access/principal";
import type { OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { findRequestFault } from "@cloud/runtime";
import type { Admission } from "@cloud/runtime/limits";
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import { receivedKey } from "../follow-calls.ts";

/** The limit on the requests of a security token in a window of time. */
export interface TokenLimit {
  /** @throws RATE_LIMITED when none is left. */
  assertLeft(bearer: string): void;
  /** Counts a request. @throws RATE_LIMITED when none is left. */
  take(bearer: string): Promise<RateLimitState>;
}

export interface AuthenticationOptions {
  readonly authenticate: (bearer: string) => Promise<Identity>;
  readonly organizationIsLive: (organization: OrganizationId) => Promise<boolean>;
  /** The credentials accepted from other services and from the operator. */
  readonly serviceCredentials: readonly ServiceCredential[];
  /** The limit of tokens; none if absent. */
  readonly tokenLimit?: TokenLimit;
  /**
   * Called once for a user's request that acts on an organization; there is no limit if absent. @throws RATE_LIMITED
   */
  readonly countOrganization?: CountOrganization;
}

/** Returns what the caller of an RPC may do, by the headers alone. @throws UNAUTHENTICATED and others */
interface IdentifyCaller {
  (header: Headers, rule: AccessRule): Promise<Caller>;
  /** Returns how the caller of a stream is identified again. */
  readonly later: (header: Headers, rule: AccessRule) => AccessCheck;
}

export interface CallAdmission {
  readonly identify: IdentifyCaller;
  readonly assertRoom: Admission["assertRoom"];
}

/** The error of a call that is refused before its handler runs; `authenticationInterceptor` throws it. */
export const refusalKey = createContextKey<{ readonly error: unknown } | undefined>(undefined, {
  description: "refusal",
});

/**
 * Authenticates the caller by security token or service credential, and enforces an RPC's audience and callers. The
 * authentications in flight have a limit of their own: one is a call of identity, before the call itself is admitted.
 */
export function createIdentification(options: AuthenticationOptions, admission: Admission): IdentifyCaller {
  const findService = createCredentialCheck(options.serviceCredentials);
  const { countOrganization } = options;
  const identify = async (header: Headers, rule: AccessRule, tokenLimit?: TokenLimit): Promise<Identified> => {
    const bearer = bearerOf(header.get("authorization"));
    if (bearer === undefined) throw unauthenticated(rule);
    const requestedOrganization = header.get("service-current-orgid") ?? "";
    const service = findService(bearer);
    if (service !== undefined) {
      if (header.has(CALLER_MARK.header)) throw unauthenticated(rule);
      if (!mayCall(service, rule)) throw fail(Reason.SERVICE_NOT_ALLOWED, { service, credential: "service" });
      return { principal: servicePrincipal(requestedOrganization, service), counted: NONE };
    }
    // Before identity is asked. Only valid tokens are counted: invented ones must not fill the memory.
    tokenLimit?.assertLeft(bearer);
    // An unknown token is 401 before any question of audience.
    const identity = await options.authenticate(bearer).catch((error: unknown) => {
      throw reasonOf(error) === Reason.UNAUTHENTICATED ? unauthenticated(rule) : error;
    });
    const counted = tokenLimit === undefined ? NONE : [await tokenLimit.take(bearer)];
    if (rule.forServicesOnly) throw fail(Reason.SERVICE_CREDENTIAL_REQUIRED, { credential: "service" });
    return { principal: userPrincipal(identity, requestedOrganization, options.organizationIsLive), counted };
  };
  const now = async (header: Headers, rule: AccessRule) => {
    const { principal, counted } = await admission.run(() => identify(header, rule, options.tokenLimit));
    return new Caller(principal, rule, { countOrganization, counted });
  };
  const later = (header: Headers, rule: AccessRule): AccessCheck => ({
    key: bearerOf(header.get("authorization")) ?? "",
    // No request, so it is not counted.
    again: async () => new Caller((await identify(header, rule)).principal, rule),
  });
  return Object.assign(now, { later });
}

/**
 * Admits the caller of an RPC by the headers alone, before its message is read. A message of 0.76 MB with 90,000 keys
 * cost 250 to 350 ms to decode, which any caller without a token could have spent. Returns false for a refused call,
 * also beyond the limit of calls in flight; `refusalKey` then has the error.
 *
 * @param rule undefined for health and reflection, which need no token
 */
export async function admitCaller(
  { identify, assertRoom }: CallAdmission,
  header: Headers,
  values: ContextValues,
  rule: AccessRule | undefined,
): Promise<boolean> {
  try {
    const received = values.get(receivedKey);
    const fault = received && findRequestFault(received.request);
    if (fault !== undefined) throw fail(Reason.INVALID_PARAMETER, { ...fault });
    if (rule === undefined) return true;
    assertRoom();
    values.set(callerKey, await identify(header, rule));
    return true;
  } catch (error) {
    values.set(refusalKey, { error });
    return false;
  }
}

interface Identified {
  readonly principal: Principal;
  readonly counted: readonly RateLimitState[];
}

const NONE: readonly RateLimitState[] = [];

/**
 * Returns UNAUTHENTICATED. On an RPC for services it marks the credential as a service's, which the service must not
 * report as its caller's.
 */
const unauthenticated = ({ forServicesOnly }: AccessRule) =>
  fail(Reason.UNAUTHENTICATED, forServicesOnly ? { credential: "service" } : {});

/**
 * Returns the look-up of a service by its credential. It compares digests in constant time, so that the duration
 * reveals nothing about an accepted credential. A security token is recognized by its form and not digested: that would
 * take 2 % of a service's time.
 */
function createCredentialCheck(
  credentials: readonly ServiceCredential[],
): (bearer: string) => ServiceCallerName | undefined {
  const digest = (text: string) => hash("sha256", text, "buffer");
  const accepted = credentials.map(({ name, secret }) => ({ name, digest: digest(secret) }));
  const someLookLikeTokens = credentials.some(({ secret }) => hasTokenForm(secret));
  return (bearer) => {
    if (hasTokenForm(bearer) && !someLookLikeTokens) return undefined;
    const presented = digest(bearer);
    let found: ServiceCallerName | undefined;
    for (const one of accepted) {
      if (timingSafeEqual(one.digest, presented)) found = one.name;
    }
    return found;
  };
}
