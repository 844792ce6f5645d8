import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { codeOf, fail } from "@cloud/contract";
import { findRequestFault, type InFlightLimit } from "@cloud/program";
import { absent_body } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Telemetry } from "@cloud/telemetry";
import {
  createTranscoder,
  type HttpResponse,
  type RequestListener,
  type TranscoderCall,
  TranscodingError,
  writeResponse,
} from "@cloud/transcoder";
import { admitToUpstreams } from "./admission.ts";
import { createCallerCheck, requireToken } from "./authentication.ts";
import { errorResponse, failureOf } from "./errors.ts";
import { forwardedHeaders } from "./forwarded-headers.ts";
import { BINDING, JSON_FORM } from "./manners.ts";
import { createOwnPages } from "./own-pages.ts";
import { headersOf, statusOf } from "./replies.ts";
import { requestIdOf } from "./request-id.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { exposedServices, httpRuleOf, type Upstreams } from "./services.ts";

export interface ListenerOptions {
  readonly upstreams: Upstreams;
  /** Maximum duration of a call to a service in milliseconds. */
  readonly deadlineMs: number;
  readonly maxInFlight: InFlightLimit;
  readonly telemetry: Telemetry;
}

/** Creates the gateway's listener: its own pages, and the transcoder for all other requests. */
export function createListener(options: ListenerOptions): RequestListener {
  const { deadlineMs, maxInFlight, telemetry } = options;
  const { upstreams, assertRoom } = admitToUpstreams(options.upstreams, maxInFlight, telemetry);
  const metrics = createRequestMetrics(telemetry.metrics);
  const pages = createOwnPages();
  const explain = explainWith(telemetry);
  const checkCaller = createCallerCheck(upstreams.identity, deadlineMs);
  const transcode = createTranscoder({
    services: exposedServices(upstreams),
    rule: httpRuleOf,
    trailingSlash: "forgive",
    binding: BINDING,
    json: JSON_FORM,
    deadlineMs,
    forward: forwardedHeaders,
    hooks: {
      admit: (call) => {
        requireToken(call);
        assertRoom(call);
      },
      beforeLargeBody: checkCaller,
      beforeReject: checkCaller,
      absentBody,
      status: statusOf,
      headers: headersOf,
      error: explain,
      responded: metrics.end,
    },
  });
  return (request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    const page = pages.get(path);
    const fault = findRequestFault(request);
    if (fault !== undefined) {
      const call = { request, path, route: undefined, startedAt: performance.now() };
      response.once("close", () => metrics.end(call, response.statusCode));
      writeResponse(request, response, explain(fail(Reason.INVALID_PARAMETER, { ...fault }), call));
      return;
    }
    if (page === undefined) return transcode(request, response);
    const call = { request, path, route: undefined, startedAt: performance.now() };
    const readable = request.method === "GET" || request.method === "HEAD";
    const responding = readable
      ? page(request)
      : Promise.reject(new TranscodingError("method-not-allowed", { allow: ["GET", "HEAD"] }));
    responding
      .then((content) => ({ ...content, headers: { "X-Request-Id": requestIdOf(request), ...content.headers } }))
      .catch((error: unknown) => explain(error, call))
      .then((content) => writeResponse(request, response, content))
      .catch(() => response.destroy());
  };
}

function absentBody(method: DescMethod): Error | undefined {
  return hasOption(method, absent_body) ? fail(getOption(method, absent_body)) : undefined;
}

function explainWith({ log }: Telemetry) {
  return (error: unknown, call: TranscoderCall): HttpResponse => {
    const failure = failureOf(error, call);
    const requestId = requestIdOf(call.request);
    const method = call.route?.method.name;
    if (failure.reason === Reason.INTERNAL) log.error({ err: error, requestId, method }, "request failed");
    else if (SYSTEMIC.has(failure.reason))
      log.warn({ err: error, requestId, method }, `responded with ${codeOf(failure.reason)}`);
    return errorResponse(failure, requestId, error instanceof TranscodingError ? error.detail.allow : undefined);
  };
}

const SYSTEMIC: ReadonlySet<Reason> = new Set([Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED]);
