import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  type Correlation,
  correlate,
  correlationFrom,
  countBody,
  createDurations,
  type Histogram,
  type Span,
  type Telemetry,
} from "@cloud/runtime/telemetry";
import { Code, type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { NodeHandler } from "./server/http1-server.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The outcome of a call, as its line in the access log shows it. */
export interface Outcome {
  /** `<package>.<service>/<method>`, or `none`. */
  readonly route: string;
  readonly caller: string;
  readonly status: number;
  readonly code: string;
}

/** A request as Node received it. */
export interface ReceivedRequest {
  readonly request: NodeRequest;
  /** The time of arrival, in milliseconds of `performance.now()`. */
  readonly at: number;
  /** The caller's correlation, until a span of this program is the parent. */
  correlation: Correlation;
  /** The outcome; undefined until the call has ended, and for a request that no interceptor has seen. */
  outcome: Outcome | undefined;
}

export const receivedKey = createContextKey<ReceivedRequest | undefined>(undefined, {
  description: "received request",
});

/**
 * The property of a request that holds its record. A WeakMap costs a garbage collection more for each request in it.
 */
const RECEIVED = Symbol("received request");

/** Returns the record of a request, the same one each time. */
export function receivedOf(request: NodeRequest & { [RECEIVED]?: ReceivedRequest }): ReceivedRequest {
  request[RECEIVED] ??= {
    request,
    at: performance.now(),
    correlation: correlationFrom(request.headers),
    outcome: undefined,
  };
  return request[RECEIVED];
}

/** Keeps the request for the code that runs before the library decodes the message; the adapter's `contextValues`. */
export function rememberRequest(request: NodeRequest): ContextValues {
  return createContextValues().set(receivedKey, receivedOf(request));
}

type NodeResponse = Parameters<NodeHandler>[1];

/**
 * Runs each request with its correlation, and reports how it ended: one line of the access log, and a span while
 * tracing is on. Health and reflection are not reported: probes ask every second.
 */
export function followRequests(
  handler: NodeHandler,
  { access, tracing }: Pick<Telemetry, "access" | "tracing">,
  isRpc: (path: string) => boolean,
): NodeHandler {
  const routeOf = ({ url = "" }: NodeRequest) => (isRpc(url) ? url.slice(1) : "none");
  const follow = (received: ReceivedRequest, response: NodeResponse) => {
    const { request, correlation } = received;
    const span = tracing?.start(routeOf(request), "server", correlation, {
      "rpc.system": "connect_rpc",
      "cloud.request_id": correlation.requestId,
    });
    if (span !== undefined) received.correlation = span.correlation;
    const bytesOf = countBody(response);
    response.once("close", () => {
      const outcome = outcomeOf(received, response, routeOf);
      const ms = performance.now() - received.at;
      access?.write({ ...outcome, correlation: received.correlation, ms, bytes: bytesOf() });
      if (span !== undefined) end(span, outcome);
    });
  };
  const isFollowed = access !== undefined || tracing !== undefined;
  return (request, response) => {
    const received = receivedOf(request);
    if (isFollowed && !isOpenPath(request.url)) follow(received, response);
    correlate(received.correlation, () => handler(request, response));
  };
}

/** Names the request in the header of the response, whatever refuses it. */
export function nameRequests(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    response.setHeader("x-request-id", receivedOf(request).correlation.requestId);
    handler(request, response);
  };
}

/** Returns the outcome that the interceptors reported; a request that none of them has seen has its HTTP status. */
function outcomeOf(
  { request, outcome }: ReceivedRequest,
  response: NodeResponse,
  routeOf: (request: NodeRequest) => string,
): Outcome {
  if (!isSent(request, response)) {
    return { route: routeOf(request), caller: "", ...outcome, status: 499, code: "CALLER_LEFT" };
  }
  const { statusCode: status } = response;
  return outcome ?? { route: routeOf(request), caller: "", status, code: `HTTP_${status}` };
}

/** Returns whether the response was sent. Over HTTP/2, Node reports no more than that it was written. */
function isSent(request: NodeRequest, response: NodeResponse): boolean {
  return "stream" in request ? response.writableEnded : response.writableFinished;
}

function end(span: Span, { status, code }: Outcome): void {
  span.end({ "http.response.status_code": status, "cloud.code": code }, status >= 500 ? code : undefined);
}

const OPEN = /^\/?grpc\.(health|reflection)\./;

/**
 * Returns whether a service is for probes and tools (health, reflection): it needs no token, and has its own errors.
 */
export function isOpenService(service: DescService): boolean {
  return OPEN.test(service.typeName);
}

/** Returns whether a path is an RPC of health or reflection. */
function isOpenPath(path = ""): boolean {
  return path.startsWith("/grpc.") && OPEN.test(path);
}

/** The status of a call that succeeded, besides the codes of errors. */
export const OK = 0;

/** Durations of calls by method and status. */
interface CallDurations {
  /** Records a call that began at `since`, in milliseconds of `performance.now()`. */
  end(method: DescMethod, status: typeof OK | Code, since: number): void;
}

/** The labels, by OpenTelemetry's conventions (docs/metrics.md). */
const LABELS = ["rpc_system_name", "rpc_method", "rpc_response_status_code"] as const;

interface CallDurationsOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Telemetry["metrics"];
  /** The methods whose series begin at 0. */
  readonly methods?: readonly DescMethod[];
  /** The labels that all of these calls have, and others of the same histogram have with other values. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Creates the durations of calls, in one histogram for each name. The series of success and of the server's own
 * faults begin at 0: for Prometheus, from no series to 1 is no increase. A series of a caller's mistake appears with the
 * first one; otherwise each method would have 17 series.
 */
export function createCallDurations({ methods = [], labels = {}, ...options }: CallDurationsOptions): CallDurations {
  const known = options.registry.getSingleMetric(options.name) as Histogram | undefined;
  const durations = known ?? createDurations({ ...options, labelNames: [...LABELS, ...Object.keys(labels)] });
  for (const method of methods) {
    for (const status of [OK, Code.Internal, Code.Unavailable] as const) durations.zero(labelsOf(method, status));
  }
  return {
    end: (method, status, since) =>
      durations.observe({ ...labelsOf(method, status), ...labels }, (performance.now() - since) / 1_000),
  };
}

const labelsOf = ({ parent, name }: DescMethod, status: typeof OK | Code) => ({
  rpc_system_name: "connectrpc",
  rpc_method: `${parent.typeName}/${name}`,
  // As gRPC spells them: `NOT_FOUND`.
  rpc_response_status_code: status === OK ? "OK" : codeToString(status).toUpperCase(),
});
