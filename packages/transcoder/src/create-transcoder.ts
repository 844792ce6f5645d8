import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "@bufbuild/protobuf";
import { bindRequest } from "./binding/bind-request.ts";
import { type CallRoute, createRouteCalls, type Reply } from "./calls/call-route.ts";
import { locateViolations } from "./errors/locate-violations.ts";
import { renderError } from "./errors/render-error.ts";
import { TranscodingError } from "./errors/transcoding-error.ts";
import { type HttpResponse, writeResponse } from "./http/http-response.ts";
import { requireJson } from "./http/media-type.ts";
import { ClientDisconnected, readBody } from "./http/read-body.ts";
import { parseJson } from "./json-in/parse-json.ts";
import { cutTarget, type RequestTarget } from "./matching/request-target.ts";
import { createRouteTable, type RouteMatch, type RouteTable } from "./matching/route-table.ts";
import { compileRoutes } from "./rules/compile-routes.ts";
import type { Route } from "./rules/route.ts";
import type { TranscoderCall, TranscoderHooks, TranscoderOptions } from "./transcoder-options.ts";

/** A Node request listener that never throws and leaves no pending rejection. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the listener. @throws Error if a rule is invalid or ambiguous, so at start-up */
export function createTranscoder(options: TranscoderOptions): RequestListener {
  const { deadlineMs = 10_000, answerLimit = 2 ** 24, json = {} } = options;
  const table = createRouteTable(compileRoutes(options.services, options.rule), options);
  const error: Hooks["error"] = (one, { request }) => renderError(one, request.headers.accept, json.registry);
  const hooks = { error, ...options.hooks };
  const transcoder = { ...options, hooks, table, callRoute: createRouteCalls(deadlineMs, answerLimit, json) };
  return (request, response) => {
    // A client may disconnect at any time; without listeners the error would end the process.
    request.on("error", ignore);
    response.on("error", ignore);
    transcode(transcoder, request, response);
  };
}

type Hooks = TranscoderHooks & Required<Pick<TranscoderHooks, "error">>;

interface Transcoder extends TranscoderOptions {
  readonly hooks: Hooks;
  readonly table: RouteTable;
  readonly callRoute: CallRoute;
}

type OpenCall = { -readonly [Key in keyof TranscoderCall]: TranscoderCall[Key] };

function transcode(options: Transcoder, request: IncomingMessage, response: ServerResponse): void {
  const target = cutTarget(request.url ?? "/");
  const call: OpenCall = { request, path: target.path, route: undefined, startedAt: performance.now() };
  let abort: AbortController | undefined;
  response.on("close", () => {
    if (!response.writableFinished) abort?.abort();
    attempt(() => options.hooks.responded?.(call, response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST));
  });
  const send = (content: HttpResponse | undefined) => {
    try {
      if (content !== undefined) writeResponse(request, response, content);
    } catch {
      response.destroy();
    }
  };
  // What is refused before anything is read is refused without a promise: under overload that is nine of ten requests.
  const match = admit(options, call, target);
  if ("status" in match) {
    send(match);
  } else {
    abort = new AbortController();
    respond(options, call, match, target, abort.signal).then(send, () => response.destroy());
  }
}

/** Finds the route of a request and asks whether it is admitted; returns the response to one that is not. */
function admit({ table, hooks }: Transcoder, call: OpenCall, target: RequestTarget): RouteMatch | HttpResponse {
  try {
    const match = table.match(call.request.method ?? "GET", target);
    call.route = match.route;
    hooks.admit?.(call);
    return match;
  } catch (error) {
    return refusal(hooks, error, call);
  }
}

function refusal(hooks: Hooks, error: unknown, call: TranscoderCall): HttpResponse {
  return attempt(() => hooks.error(error, call)) ?? { status: 500, headers: {}, body: "" };
}

async function respond(
  options: Transcoder,
  call: TranscoderCall,
  match: RouteMatch,
  target: RequestTarget,
  signal: AbortSignal,
): Promise<HttpResponse | undefined> {
  const { hooks, callRoute } = options;
  try {
    const message = await readMessageOf(options, call, match, target);
    const headers = printableOnly(options.forward?.(call.request) ?? {});
    const reply = await callRoute(match.route, message, signal, headers);
    return success(options, call, match.route, reply);
  } catch (error) {
    return error instanceof ClientDisconnected ? undefined : refusal(hooks, error, call);
  }
}

async function readMessageOf(options: Transcoder, call: TranscoderCall, match: RouteMatch, target: RequestTarget) {
  const { route, values } = match;
  let bytes: Buffer | undefined;
  try {
    bytes = await readBytes(options, call, route);
    const body = readJsonBody(options, bytes, route);
    return bindRequest(route, { values, query: target.query, body }, options.binding);
  } catch (error) {
    if (!(error instanceof ClientDisconnected)) await options.hooks.beforeReject?.(call);
    throw bytes !== undefined && error instanceof TranscodingError ? locateViolations(error, bytes, route) : error;
  }
}

function readBytes(options: Transcoder, call: TranscoderCall, route: Route): Promise<Buffer> {
  const { bodyLimit = 2 ** 20, hooks } = options;
  if (route.body !== "none") requireJson(call.request.headers);
  return readBody(call.request, bodyLimit, async () => hooks.beforeLargeBody?.(call));
}

function readJsonBody({ binding, hooks }: Transcoder, bytes: Buffer, route: Route): JsonValue | undefined {
  if (route.body === "none") {
    if (bytes.length > 0 && binding?.unboundBody !== "ignore") throw new TranscodingError("unexpected-body");
    return undefined;
  }
  const json: JsonValue | undefined = bytes.length === 0 ? undefined : parseJson(bytes);
  const refusal = route.body === "whole" && (json ?? null) === null ? hooks.absentBody?.(route.method) : undefined;
  if (refusal) throw refusal;
  return json ?? undefined;
}

function success(options: Transcoder, call: TranscoderCall, route: Route, reply: Reply): HttpResponse {
  const { hooks } = options;
  const status = hooks.status?.(route, reply.message) ?? 200;
  const headers = hooks.headers?.(call, reply.message, reply.headers) ?? {};
  if (status === 204) {
    // Although nothing of it is sent: a reply that cannot be decoded is a failure.
    reply.message();
    return { status, headers, body: undefined };
  }
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: reply.json(),
    encoding: "latin1",
  };
}

// HTTP/2 rejects some values that HTTP/1.1 accepted; no service could interpret them, so they are dropped.
function printableOnly(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name in headers) if (!PRINTABLE.test(headers[name] ?? "")) return onlyPrintable(headers);
  return headers;
}

function onlyPrintable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => PRINTABLE.test(value)));
}

const PRINTABLE = /^[\x20-\x7e]*$/;

function ignore(): void {}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

// The status that nginx logs if the client disconnects before the response.
const CLIENT_CLOSED_REQUEST = 499;
