import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type Correlation, correlate, correlationFrom, type Span, type Telemetry } from "@cloud/telemetry";
import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import { isOpenPath } from "./health.ts";
import type { NodeHandler } from "./listen-one-port.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** How a call ended, as its line in the log has it. */
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
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  /** Of the caller, until a span of this program is its parent. */
  correlation: Correlation;
  /** Undefined until the call has ended, and for what no interceptor has seen. */
  outcome: Outcome | undefined;
}

export const receivedKey = createContextKey<ReceivedRequest | undefined>(undefined, {
  description: "received request",
});

/** Kept at the request itself: a WeakMap costs a collection of garbage more for each request that it holds. */
const RECEIVED = Symbol("received request");

/** Returns the same for a request each time. */
export function receivedOf(request: NodeRequest & { [RECEIVED]?: ReceivedRequest }): ReceivedRequest {
  request[RECEIVED] ??= {
    request,
    at: performance.now(),
    correlation: correlationFrom(request.headers),
    outcome: undefined,
  };
  return request[RECEIVED];
}

/** Keeps the request for what runs before the library decodes its message. Belongs into the adapter's `contextValues`. */
export function keepReceived(request: NodeRequest): ContextValues {
  return createContextValues().set(receivedKey, receivedOf(request));
}

type NodeResponse = Parameters<NodeHandler>[1];

/**
 * Runs each request with its correlation, and reports how it ended: one line of the access log, and a span while tracing
 * is on. Health and reflection are not reported: probes ask every second.
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
    response.once("close", () => {
      const outcome = outcomeOf(received, response, routeOf);
      access?.write({ ...outcome, correlation: received.correlation, ms: performance.now() - received.at });
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

/** The interceptors report a call; what none of them has seen is described by its HTTP status. */
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

/** Over HTTP/2, Node reports no more than that the response was written. */
function isSent(request: NodeRequest, response: NodeResponse): boolean {
  return "stream" in request ? response.writableEnded : response.writableFinished;
}

function end(span: Span, { status, code }: Outcome): void {
  span.end({ "http.response.status_code": status, "cloud.code": code }, status >= 500 ? code : undefined);
}
