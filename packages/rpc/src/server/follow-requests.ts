import { correlate, type Span, type Telemetry } from "@cloud/telemetry";
import type { NodeHandler } from "./listen-one-port.ts";
import { isOpenPath } from "./open-service.ts";
import { type NodeRequest, type Outcome, type ReceivedRequest, receivedOf } from "./received-request.ts";

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
