import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { createsRecord } from "@cloud/access";
import { CALLER_ID_HEADER } from "@cloud/access/principal";
import {
  type Correlation,
  correlate,
  correlationFrom,
  createDurations,
  type Span,
  type Telemetry,
} from "@cloud/runtime/telemetry";
import type { ReadReply, ReplyHeaders, Route, TranscoderCall } from "@cloud/transcoder";
import { Gauge, type Registry } from "prom-client";

/** The record of a request until it has ended, for its line in the access log and its span. */
interface FollowedRequest {
  /** The client's correlation, until a span of the gateway is the parent. */
  correlation: Correlation;
  /** The id of the user, as the service has found it; empty before, and without a user. */
  caller: string;
  /** The code of the error that the request ends with; `OK` without. */
  code: string;
  /** Counts the response's body; absent without an access log. */
  bytesOf?: () => number;
  /** The span of the request; absent while tracing is off. */
  span?: Span;
}

/** Runs each request with its correlation, so that the calls of services carry it, in a span while tracing is on. */
export function followRequests(listener: RequestListener, { tracing }: Pick<Telemetry, "tracing">): RequestListener {
  return (request, response) => {
    const followed = followedRequest(request);
    if (tracing !== undefined && request.url !== HEALTH) {
      const { correlation } = followed;
      const { method = "" } = request; // Node refuses a method that it does not know
      followed.span = tracing.start(method, "server", correlation, {
        "http.request.method": method,
        "cloud.request_id": correlation.requestId,
      });
      followed.correlation = followed.span.correlation;
    }
    correlate(followed.correlation, () => listener(request, response));
  };
}

/** Returns the function that reports a request that has ended: a line of the access log, and the end of its span. */
export function createRequestReport({ access }: Pick<Telemetry, "access">) {
  return ({ request, path, route, startedAt }: TranscoderCall, status: number, page?: string): void => {
    if (path === HEALTH) return;
    const { correlation, caller, code, span, bytesOf } = followedRequest(request);
    const template = route?.template.text ?? page;
    const name = template === undefined ? "none" : `${route?.httpMethod ?? "GET"} ${template}`;
    const ms = performance.now() - startedAt;
    const shown = status === 499 ? "CALLER_LEFT" : code;
    access?.write({ correlation, route: name, caller, status, code: shown, ms, bytes: bytesOf?.() ?? 0 });
    const attributes = { "http.response.status_code": status, "cloud.code": code };
    const routed = template === undefined ? attributes : { ...attributes, "http.route": template };
    span?.end(routed, status >= 500 ? code : undefined, name === "none" ? undefined : name);
  };
}

/** The path that is not followed: load balancers ask for it every second. */
const HEALTH = "/healthz";

/** Returns the record of a request, the same one each time. */
export function followedRequest(request: Identified): FollowedRequest {
  request[FOLLOWED] ??= { correlation: correlationFrom(request.headers), caller: "", code: "OK" };
  return request[FOLLOWED];
}

/**
 * The property of a request that holds its record. A WeakMap costs a garbage collection more for each request in it.
 */
const FOLLOWED = Symbol("followed request");

interface Identified {
  readonly headers: IncomingHttpHeaders;
  [FOLLOWED]?: FollowedRequest;
}

/**
 * Returns the id of a request: the client's `x-request-id` if it is printable and at most 128 characters long,
 * otherwise a new UUID.
 */
export function requestIdOf(request: Identified): string {
  return followedRequest(request).correlation.requestId;
}

interface RequestMetrics {
  /** Counts a request that has arrived. Call `end` for it later. */
  begin(): void;
  /** Counts and measures a request whose response has been sent. */
  end(call: TranscoderCall, status: number): void;
}

/**
 * Counts requests in flight, and measures each by method, path template and status, by OpenTelemetry's names. The
 * series of success and of faults begin at 0: for Prometheus, from no series to 1 is no increase.
 */
export function createRequestMetrics(registry: Registry, routes: readonly Route[]): RequestMetrics {
  const durations = createDurations({
    name: "http_server_request_duration_seconds",
    help: "Time from the first line of a REST request to the end of its response.",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    registry,
  });
  let active = 0;
  new Gauge({
    name: "http_server_active_requests",
    help: "REST requests in flight, watches included.",
    registers: [registry],
    collect() {
      this.set(active);
    },
  });
  // Only routes become labels: clients must not be able to create new time series.
  const labelsOf = (route: Route | undefined, status: number) => ({
    http_request_method: route?.httpMethod ?? "_OTHER",
    http_route: route?.template.text ?? "none",
    http_response_status_code: String(status),
  });
  for (const route of routes) {
    for (const status of [statusOf(route), 500, 503]) durations.zero(labelsOf(route, status));
  }
  return {
    begin: () => {
      active++;
    },
    end({ route, startedAt }, status) {
      active--;
      durations.observe(labelsOf(route, status), (performance.now() - startedAt) / 1_000);
    },
  };
}

/** Returns the status of a success: 201 for methods that create a record, 204 for DELETE, otherwise 200. */
export function statusOf(route: Route): number {
  if (route.httpMethod === "DELETE") return 204;
  return createsRecord(route.method) ? 201 : 200;
}

/**
 * Returns the headers of a success, including the created record's location. Responses that need a token must not be
 * cached.
 */
export function headersOf(
  { request, route, path }: TranscoderCall,
  reply: ReadReply,
  received: ReplyHeaders,
): Record<string, string> {
  const followed = followedRequest(request);
  const caller = received[CALLER_ID_HEADER];
  if (typeof caller === "string") followed.caller = caller;
  const headers: { [name: string]: string; Location?: string } = {
    "X-Request-Id": followed.correlation.requestId,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
  if (route === undefined || !hasLocation(route)) return headers;
  const id = createdId(route, reply());
  if (id !== "") headers.Location = `${path.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
  return headers;
}

/** Returns whether a success has the location of the created record. */
export const hasLocation = ({ method }: Route): boolean => createsRecord(method);

/** Returns the id of the record in the response; for CreateToken, of the first field, next to the secret. */
function createdId({ method, responseField }: Route, reply: Message): string {
  const field = responseField ?? method.output.fields.find((candidate) => candidate.fieldKind === "message");
  const record: unknown = field && Reflect.get(reply, field.localName);
  const id: unknown = typeof record === "object" && record !== null && "id" in record ? record.id : "";
  return typeof id === "string" ? id : "";
}
