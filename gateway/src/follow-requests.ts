import type { IncomingMessage, RequestListener } from "node:http";
import { correlate, type Span, type Telemetry } from "@cloud/telemetry";
import type { TranscoderCall } from "@cloud/transcoder";
import { followedRequest } from "./request-id.ts";

const SPAN = Symbol("span");

type Spanned = TranscoderCall["request"] & { [SPAN]?: Span };

/** Runs each request with its correlation, so that the calls of services carry it; below a span while tracing is on. */
export function followRequests(listener: RequestListener, { tracing }: Pick<Telemetry, "tracing">): RequestListener {
  return (request, response) => {
    const followed = followedRequest(request);
    if (tracing !== undefined && request.url !== HEALTH) {
      const { correlation } = followed;
      const span = tracing.start(methodOf(request), "server", correlation, {
        "http.request.method": methodOf(request),
        "cloud.request_id": correlation.requestId,
      });
      followed.correlation = span.correlation;
      (request as Spanned)[SPAN] = span;
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
    const span = (request as Spanned)[SPAN];
    if (access === undefined && span === undefined) return;
    const { correlation, caller, code } = followedRequest(request);
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
