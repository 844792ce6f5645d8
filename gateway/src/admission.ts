import type { IncomingHttpHeaders } from "node:http";
import { create } from "@bufbuild/protobuf";
import { createsRecord, parseEntityTags, parseIdempotencyKey } from "@cloud/access";
import { reasonOf, sharedRefusal } from "@cloud/access/errors";
import { bearerOf, CALLER_MARK, hasTokenForm } from "@cloud/access/principal";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { GetProfileRequestSchema, UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { type Admission, createAdmission, createAdmissionMetrics, type InFlightLimit } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { HttpRequest, Route, RouteTransport, TranscoderCall } from "@cloud/transcoder";
import type { Transport } from "@connectrpc/connect";
import type { Upstreams } from "./services.ts";

interface AdmittedUpstreams {
  /** The given transports, which refuse a call beyond the limit of its service. */
  readonly upstreams: Upstreams;
  /**
   * Creates the check of arriving requests. @throws TypeError if paths with the same first segment lead to two services
   */
  readonly createRoomCheck: (routes: readonly Route[]) => HasRoom;
}

/**
 * Returns whether the service that serves a path takes a further request of a caller, and counts a refusal otherwise.
 * All paths with the same first segment after `/api` lead to one service, so that a refusal needs no route. A path with
 * an unknown segment has room: its transport refuses the call.
 */
type HasRoom = (path: string, headers: IncomingHttpHeaders) => boolean;

/**
 * Bounds the requests in flight to each service by a limit of its own: a slow or silent service fills only its own
 * limit, and the requests to the others are still served. A caller is the value of a header Authorization: one that
 * requested 320 slow pages at once had all places for a second, and each other caller was refused.
 */
export function admitToUpstreams(upstreams: Upstreams, limit: InFlightLimit, telemetry: Telemetry): AdmittedUpstreams {
  const metrics = createAdmissionMetrics(telemetry);
  const checks = new Map<RouteTransport, Admission["hasRoom"]>();
  const admit = (name: keyof Upstreams): RouteTransport => {
    const transport = upstreams[name];
    const admission = createAdmission({ limit, metrics, work: name, refuse: busy });
    const admitted: RouteTransport = {
      stream: transport.stream,
      unary: (...call) => admission.run(() => transport.unary(...call), callerOf(call[3])),
    };
    const { unaryBinary } = transport;
    if (unaryBinary !== undefined)
      admitted.unaryBinary = (...call) => admission.run(() => unaryBinary(...call), callerOf(call[3]));
    checks.set(admitted, admission.hasRoom);
    return admitted;
  };
  return {
    upstreams: { workspace: admit("workspace"), environment: admit("environment"), identity: admit("identity") },
    createRoomCheck(routes) {
      const bySegment = new Map<string, Admission["hasRoom"]>();
      for (const { template, transport } of routes) {
        const segment = firstSegment(template.text);
        const check = checks.get(transport) ?? always;
        if ((bySegment.get(segment) ?? check) !== check) throw new TypeError(`/api/${segment} leads to two services`);
        bySegment.set(segment, check);
      }
      return (path, headers) => (bySegment.get(firstSegment(path)) ?? always)(callerOf(headers));
    },
  };
}

/** Returns the caller that has a share of the places: the transcoder and the check of the caller pass plain objects. */
const callerOf = (headers: Parameters<RouteTransport["unary"]>[3] | IncomingHttpHeaders) =>
  (headers as IncomingHttpHeaders | undefined)?.authorization;

export const busy = sharedRefusal(Reason.OVERLOADED);

const always = () => true;

/** Returns the first segment of a path below `/api`; empty for any other path. */
function firstSegment(path: string): string {
  if (!path.startsWith(API)) return "";
  const end = path.indexOf("/", API.length);
  return path.slice(API.length, end < 0 ? undefined : end);
}

const API = "/api/";

/** Refuses a request without a security token. The services decide whether a token is valid. */
export function requireToken({ request }: TranscoderCall): void {
  if (!hasTokenForm(bearerOf(request.headers.authorization) ?? "")) throw unauthenticated();
}

const unauthenticated = sharedRefusal(Reason.UNAUTHENTICATED);

/** Rejects if the caller's token is not valid. */
export type CallerCheck = (call: TranscoderCall) => Promise<void>;

/**
 * Creates the check that gives authentication precedence over form, and over a large body: a malformed request, which
 * no service will see, is refused for an invalid token first. The check calls identity with the caller's token, so the
 * gateway needs no credential of its own, once for each request.
 */
export function createCallerCheck(identity: Transport, deadlineMs: number): CallerCheck {
  const check = async (request: HttpRequest): Promise<void> => {
    const headers = { ...forwardedHeaders(request) };
    try {
      await identity.unary(
        UserService.method.getProfile,
        undefined,
        deadlineMs,
        headers,
        create(GetProfileRequestSchema),
      );
    } catch (error) {
      // Any other failure concerns the profile, not the caller.
      if (DECISIVE.has(reasonOf(error))) throw error;
    }
  };
  const checked = new WeakMap<HttpRequest, Promise<void>>();
  return ({ request }) => {
    const result = checked.get(request) ?? check(request);
    checked.set(request, result);
    return result;
  };
}

const DECISIVE: ReadonlySet<Reason> = new Set([
  Reason.UNAUTHENTICATED,
  Reason.RATE_LIMITED,
  Reason.OVERLOADED,
  Reason.UNAVAILABLE,
  Reason.DEADLINE_EXCEEDED,
]);

/**
 * Returns the headers forwarded to a service: the mark of a user's call, the caller's token and organization, If-Match
 * and Idempotency-Key. The transport adds the id of the request and its trace. No other header of a client reaches a
 * service, so no client can set or clear the mark.
 */
export function forwardedHeaders(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { [CALLER_MARK.header]: CALLER_MARK.value };
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

const FORWARDED = ["authorization", "service-current-orgid", "if-match", "idempotency-key"];

/**
 * Refuses, once the caller is known, a malformed If-None-Match, which only the gateway reads, and a header that cannot
 * be forwarded: without its If-Match, a change would be made whatever the record's state, and without its
 * Idempotency-Key, a retry would create another record. The service refuses all other malformed values. Returns
 * undefined if there is nothing to refuse.
 */
export function refuseHeaders(call: TranscoderCall, check: CallerCheck): Promise<void> | undefined {
  const refusal = refusalOf(call);
  return refusal && check(call).then(() => Promise.reject(refusal));
}

const PRINTABLE = /^[\x20-\x7e]*$/;

function refusalOf({ request: { method, headers }, route }: TranscoderCall): Error | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch, "idempotency-key": key } = headers;
  try {
    if (typeof key === "string" && !PRINTABLE.test(key) && route !== undefined && createsRecord(route.method)) {
      parseIdempotencyKey(key);
    }
    if (ifMatch !== undefined && !PRINTABLE.test(ifMatch)) parseEntityTags("If-Match", ifMatch);
    if (ifNoneMatch !== undefined && (method === "GET" || method === "HEAD")) {
      parseEntityTags("If-None-Match", ifNoneMatch);
    }
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
