import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from "node:http";
import { type Correlation, correlate, correlationFrom, type Span, type Telemetry } from "@cloud/telemetry";
import type { TranscoderCall } from "@cloud/transcoder";

/** Runs each request with its correlation, so that the calls of services carry it; below a span while tracing is on. */
export function followRequests(listener: RequestListener, { tracing }: Pick<Telemetry, "tracing">): RequestListener {
  return (request, response) => {
    const followed = followedRequest(request);
    if (tracing !== undefined && request.url !== HEALTH) {
      const { correlation } = followed;
      followed.span = tracing.start(methodOf(request), "server", correlation, {
        "http.request.method": methodOf(request),
        "cloud.request_id": correlation.requestId,
      });
      followed.correlation = followed.span.correlation;
    }
    correlate(followed.correlation, () => listener(request, response));
  };
}

/** Load balancers ask every second. */
const HEALTH = "/healthz";

/** Returns the function that reports a request that has ended: a line of the access log, and the end of its span. */
export function createRequestReport({ access }: Pick<Telemetry, "access">) {
  return ({ request, path, route, startedAt }: TranscoderCall, status: number, page?: string): void => {
    if (path === HEALTH) return;
    const { correlation, caller, code, span } = followedRequest(request);
    const template = route?.template.text ?? page;
    const name = template === undefined ? "none" : `${route?.httpMethod ?? "GET"} ${template}`;
    const ms = performance.now() - startedAt;
    access?.write({ correlation, route: name, caller, status, code: status === 499 ? "CALLER_LEFT" : code, ms });
    const attributes = { "http.response.status_code": status, "cloud.code": code };
    const routed = template === undefined ? attributes : { ...attributes, "http.route": template };
    span?.end(routed, status >= 500 ? code : undefined, name === "none" ? undefined : name);
  };
}

/** Any other text of a client is not a name: it could be a token. */
function methodOf({ method = "" }: IncomingMessage): string {
  return METHODS.has(method) ? method : "_OTHER";
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]);

/** What is kept about a request until it has ended, for its line in the log and its span. */
export interface FollowedRequest {
  /** Of the client, until a span of the gateway is its parent. */
  correlation: Correlation;
  /** The id of the user, as the service has found it; empty before, and without one. */
  caller: string;
  /** The reason of the error that it ends with; `OK` without. */
  code: string;
  /** While tracing is on. */
  span?: Span;
}

/** Kept at the request itself: a WeakMap costs a collection of garbage more for each request that it holds. */
const FOLLOWED = Symbol("followed request");

interface Identified {
  readonly headers: IncomingHttpHeaders;
  [FOLLOWED]?: FollowedRequest;
}

/** Returns the same for a request each time. */
export function followedRequest(request: Identified): FollowedRequest {
  request[FOLLOWED] ??= { correlation: correlationFrom(request.headers), caller: "", code: "OK" };
  return request[FOLLOWED];
}

/**
 * Returns the id of a request: the client's `x-request-id` if it is printable and at most 128 characters long,
 * otherwise a new UUID.
 */
export function requestIdOf(request: Identified): string {
  return followedRequest(request).correlation.requestId;
}
