import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { absent_body } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { codeOf, fail } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import {
  type Answer,
  createTranscoder,
  type RequestListener,
  type TranscoderCall,
  TranscodingError,
  writeAnswer,
} from "@cloud/transcoder";
import { createCallerCheck, requireBearer } from "./authentication.ts";
import { errorAnswer, failureOf } from "./errors.ts";
import { forwardedHeaders } from "./forwarded-headers.ts";
import { createOwnPages } from "./own-pages.ts";
import { headersOf, statusOf } from "./replies.ts";
import { requestIdOf } from "./request-id.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { exposedServices, httpRuleOf, type Upstreams } from "./services.ts";

export interface ListenerOptions {
  readonly upstreams: Upstreams;
  /** Whether it is to get no more requests, though it answers those that still come. */
  readonly isLeaving: () => boolean;
  /** How long a call of a service may take, in milliseconds. */
  readonly deadlineMs: number;
  readonly telemetry: Telemetry;
}

/** The gateway's listener: its own pages, and for everything else the transcoder. */
export function createListener({ upstreams, isLeaving, deadlineMs, telemetry }: ListenerOptions): RequestListener {
  const metrics = createRequestMetrics(telemetry.metrics);
  const pages = createOwnPages({ upstreams, isLeaving, metrics: telemetry.metrics });
  const explain = explainWith(telemetry);
  const transcode = createTranscoder({
    services: exposedServices(upstreams),
    rule: httpRuleOf,
    deadlineMs,
    forward: forwardedHeaders,
    hooks: {
      admit: requireBearer,
      beforeReject: createCallerCheck(upstreams.identity, deadlineMs),
      absentBody,
      status: statusOf,
      headers: headersOf,
      error: explain,
      answered: metrics.end,
    },
  });
  return (request, response) => {
    response.setHeader("X-Request-Id", requestIdOf(request));
    const path = request.url?.split("?", 1)[0] ?? "";
    const page = pages.get(path);
    if (page === undefined) {
      metrics.start(request);
      transcode(request, response);
      return;
    }
    const call = { request, path, route: undefined };
    const readable = request.method === "GET" || request.method === "HEAD";
    const answer = readable
      ? page()
      : Promise.reject(new TranscodingError("method-not-allowed", { allow: ["GET", "HEAD"] }));
    answer
      .catch((error: unknown) => explain(error, call))
      .then((ready) => writeAnswer(request, response, ready))
      .catch(() => response.destroy());
  };
}

function absentBody(method: DescMethod): Error | undefined {
  return hasOption(method, absent_body) ? fail(getOption(method, absent_body)) : undefined;
}

function explainWith({ log }: Telemetry) {
  return (error: unknown, call: TranscoderCall): Answer => {
    const failure = failureOf(error, call);
    const requestId = requestIdOf(call.request);
    const method = call.route?.method.name;
    if (failure.reason === Reason.INTERNAL) log.error({ err: error, requestId, method }, "request failed");
    else if (SYSTEMIC.has(failure.reason))
      log.warn({ err: error, requestId, method }, `answered ${codeOf(failure.reason)}`);
    return errorAnswer(failure, requestId, error instanceof TranscodingError ? error.detail.allow : undefined);
  };
}

const SYSTEMIC: ReadonlySet<Reason> = new Set([Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED]);
