import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { codeOf, fail } from "@cloud/access/errors";
import { CALLER_ID_HEADER } from "@cloud/access/principal";
import { absent_body } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { findRequestFault } from "@cloud/runtime";
import type { InFlightLimit } from "@cloud/runtime/limits";
import { countBody, type Telemetry } from "@cloud/runtime/telemetry";
import {
  type Cors,
  type CorsOptions,
  createCors,
  createTranscoder,
  type HttpRequest,
  type HttpResponse,
  type TranscoderCall,
  TranscodingError,
  writeResponse,
} from "@cloud/transcoder";
import { ConnectError } from "@connectrpc/connect";
import {
  admitToUpstreams,
  busy,
  type CallerCheck,
  createCallerCheck,
  forwardedHeaders,
  refuseHeaders,
  requireToken,
} from "./admission.ts";
import { adaptPublished, BINDING, continueWatch, HTTP_FORM, JSON_FORM, streamSettings } from "./api-profile.ts";
import { errorResponse, type Failure, failureOf } from "./errors.ts";
import {
  createRequestMetrics,
  createRequestReport,
  followedRequest,
  followRequests,
  headersOf,
  requestIdOf,
  statusOf,
} from "./follow-requests.ts";
import { createPathHints } from "./nearest-path.ts";
import { createOwnPages } from "./own-pages.ts";
import { exposedServices, type Upstreams } from "./services.ts";

export interface ListenerOptions {
  readonly upstreams: Upstreams;
  /** Maximum duration of a call to a service in milliseconds. */
  readonly deadlineMs: number;
  readonly maxInFlight: InFlightLimit;
  /** The most watches that are open at once. */
  readonly maxStreams: number;
  readonly telemetry: Telemetry;
  /** The origins of pages that may call; none if absent. */
  readonly cors?: CorsOptions | undefined;
}

interface GatewayListener {
  readonly listener: RequestListener;
  /** Ends the watches, so that their clients reconnect to another replica. */
  readonly endStreams: () => void;
}

/** Creates the gateway's listener: its own pages, and the transcoder for all other requests. */
export function createListener(options: ListenerOptions): GatewayListener {
  const { deadlineMs, maxInFlight, maxStreams, telemetry, cors } = options;
  const { upstreams, createRoomCheck } = admitToUpstreams(options.upstreams, maxInFlight, telemetry);
  const report = createRequestReport(telemetry);
  const pages = createOwnPages();
  const ownCors = cors && createCors(cors);
  /** Writes a response that the transcoder does not write. */
  const respond = (request: IncomingMessage, response: ServerResponse, content: HttpResponse) =>
    writeResponse(request, response, ownCors?.allow(request as HttpRequest, content) ?? content);
  const explain = explainWith(telemetry, (failure, call) => hint(failure, call));
  const checkCaller = createCallerCheck(upstreams.identity, deadlineMs);
  const {
    listener: transcode,
    endStreams,
    routes,
  } = createTranscoder({
    services: exposedServices(upstreams),
    trailingSlash: "forgive",
    binding: BINDING,
    json: JSON_FORM,
    ...HTTP_FORM,
    ...(cors && { cors }),
    deadlineMs,
    maxStreams,
    settings: streamSettings,
    forward: forwardedHeaders,
    hooks: {
      matched: requireToken,
      largeBody: checkCaller, // protects: caller-before-body
      bound: (call, message, hasBody) => {
        adaptPublished(call, message, hasBody);
        continueWatch(call, message);
        return refuseHeaders(call, checkCaller) ?? (hasBody ? undefined : requireBody(call, checkCaller));
      },
      status: statusOf,
      headers: headersOf,
      // Authentication takes precedence over form.
      error: (error, call) => {
        if (!(error instanceof TranscodingError) || call.route === undefined) return explain(error, call);
        return checkCaller(call).then(
          () => explain(error, call),
          (refusal: unknown) => explain(refusal, call),
        );
      },
      responded: (call, status) => {
        metrics.end(call, status);
        report(call, status);
      },
    },
  });
  const destinations = Array.from(pages.keys()).filter((path) => !path.endsWith("/") && path !== "/api");
  const hint = createPathHints(routes, destinations);
  const metrics = createRequestMetrics(telemetry.metrics, routes);
  const hasRoom = createRoomCheck(routes);
  /** Refuses a request before its route is looked for. */
  const refuse = (request: IncomingMessage, response: ServerResponse, error: Error) => {
    const call = unrouted(request, pathOf(request));
    const content = explain(error, call);
    metrics.begin();
    respond(request, response, content);
    metrics.end(call, content.status);
    report(call, content.status);
  };
  const listener: RequestListener = (request, response) => {
    const path = pathOf(request);
    const page = pages.get(path);
    const fault = findRequestFault(request);
    if (fault !== undefined) return refuse(request, response, fail(Reason.INVALID_PARAMETER, { ...fault }));
    if (page === undefined) {
      metrics.begin();
      return transcode(request, response);
    }
    const call = unrouted(request, path);
    response.once("close", () => report(call, response.writableFinished ? response.statusCode : 499, path));
    replyOfPage(request, page, ownCors)
      .then((content) => ({ ...content, headers: { "X-Request-Id": requestIdOf(request), ...content.headers } }))
      .catch((error: unknown) => explain(error, call))
      .then((content) => respond(request, response, content))
      .catch(() => response.destroy());
  };
  const followed = followRequests(listener, telemetry);
  const admit: RequestListener = (request, response) => {
    if (telemetry.access !== undefined) followedRequest(request).bytesOf = countBody(response);
    // A preflight request costs no call, and a page could not read its refusal.
    if (request.method === "OPTIONS" || hasRoom(pathOf(request), request.headers)) followed(request, response);
    else refuse(request, response, busy());
  };
  return { listener: admit, endStreams };
}

/** Returns the call of a request that reaches no route. */
function unrouted(request: IncomingMessage, path: string): TranscoderCall {
  return { request: request as HttpRequest, path, route: undefined, startedAt: performance.now() };
}

function pathOf({ url = "" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** Returns the page, or for OPTIONS the allowed methods; rejects for another method. */
async function replyOfPage(
  request: IncomingMessage,
  page: (request: IncomingMessage) => Promise<HttpResponse>,
  cors: Cors | undefined,
): Promise<HttpResponse> {
  const allow = ["GET", "HEAD"];
  if (request.method === "OPTIONS") {
    const preflight = cors?.preflight(request as HttpRequest, allow);
    return { status: 204, headers: { Allow: allow.join(", "), ...preflight }, body: undefined };
  }
  if (!allow.includes(request.method ?? "")) throw new TranscodingError("method-not-allowed", { allow });
  return await page(request);
}

/** Refuses a request without a body, or with `null`, where the method has an error for it. */
function requireBody(call: TranscoderCall, check: CallerCheck): Promise<void> | undefined {
  const method = call.route?.method;
  if (method === undefined || call.route?.body !== "whole" || !hasOption(method, absent_body)) return undefined;
  const refusal = fail(getOption(method, absent_body));
  return check(call).then(() => Promise.reject(refusal));
}

function explainWith({ log }: Telemetry, hint: (failure: Failure, call: TranscoderCall) => Failure) {
  return (error: unknown, call: TranscoderCall): HttpResponse => {
    const failure = hint(failureOf(error, call), call); // protects: catalogue-texts
    const followed = followedRequest(call.request);
    followed.code = codeOf(failure.reason);
    if (error instanceof ConnectError) followed.caller = error.metadata.get(CALLER_ID_HEADER) ?? "";
    const { requestId } = followed.correlation;
    const method = call.route?.method.name;
    if (failure.reason === Reason.INTERNAL) log.error({ err: error, requestId, method }, "request failed");
    else if (SYSTEMIC.has(failure.reason)) {
      log.warn({ err: error, requestId, method }, `responded with ${followed.code}`);
    }
    return errorResponse(failure, requestId, error instanceof TranscodingError ? error.detail.allow : undefined);
  };
}

const SYSTEMIC: ReadonlySet<Reason> = new Set([Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED]);
