import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue, Message } from "@bufbuild/protobuf";
import { bindRequest } from "./bind-request.ts";
import { compileRoutes } from "./compile-routes.ts";
import { type HttpResponse, writeResponse } from "./http-response.ts";
import { requireJson } from "./media-type.ts";
import { parseJson } from "./parse-json.ts";
import { ClientDisconnected, readBody } from "./read-body.ts";
import { renderJson } from "./render-json.ts";
import { cutTarget, type RequestTarget } from "./request-target.ts";
import type { Route } from "./route.ts";
import { createRouteTable, type RouteMatch, type RouteTable } from "./route-table.ts";
import type { TranscoderCall, TranscoderOptions } from "./transcoder-options.ts";
import { writeJson } from "./write-json.ts";

/** A Node request listener that never throws and leaves no pending rejection. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the listener. @throws Error if a rule is invalid or ambiguous, so at start-up */
export function createTranscoder(options: TranscoderOptions): RequestListener {
  const table = createRouteTable(compileRoutes(options.services, options.rule));
  return (request, response) => {
    // A client may disconnect at any time; without listeners the error would end the process.
    request.on("error", () => {});
    response.on("error", () => {});
    transcode(options, table, request, response).catch(() => response.destroy());
  };
}

type OpenCall = { -readonly [Key in keyof TranscoderCall]: TranscoderCall[Key] };

async function transcode(
  options: TranscoderOptions,
  table: RouteTable,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const target = cutTarget(request.url ?? "/");
  const call: OpenCall = { request, path: target.path, route: undefined };
  const abort = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) abort.abort();
    attempt(() => options.hooks.responded?.(call, response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST));
  });
  const content = await respond(options, table, call, target, abort.signal);
  if (content !== undefined) writeResponse(request, response, content);
}

async function respond(
  options: TranscoderOptions,
  table: RouteTable,
  call: OpenCall,
  target: RequestTarget,
  signal: AbortSignal,
): Promise<HttpResponse | undefined> {
  const { hooks, deadlineMs = 10_000 } = options;
  try {
    const match = table.match(call.request.method ?? "GET", target);
    call.route = match.route;
    hooks.admit?.(call);
    const message = await readMessageOf(options, call, match, target);
    const { method, transport } = match.route;
    const headers = printableOnly(options.forward?.(call.request) ?? {});
    const reply = await transport.unary(method, signal, deadlineMs, headers, message);
    return success(options, call, match.route, reply.message);
  } catch (error) {
    if (error instanceof ClientDisconnected) return undefined;
    return attempt(() => hooks.error(error, call)) ?? { status: 500, headers: {}, body: "" };
  }
}

async function readMessageOf(
  options: TranscoderOptions,
  call: TranscoderCall,
  match: RouteMatch,
  target: RequestTarget,
) {
  try {
    const body = await readJsonBody(options, call, match.route);
    return bindRequest(match.route, { values: match.values, query: target.query, body });
  } catch (error) {
    if (!(error instanceof ClientDisconnected)) await options.hooks.beforeReject?.(call);
    throw error;
  }
}

async function readJsonBody(options: TranscoderOptions, call: TranscoderCall, route: Route) {
  const { bodyLimit = 2 ** 20, hooks } = options;
  if (route.body !== "none") requireJson(call.request.headers);
  const bytes = await readBody(call.request, bodyLimit, async () => hooks.beforeLargeBody?.(call));
  if (route.body === "none") return undefined;
  const json: JsonValue | undefined = bytes.length === 0 ? undefined : parseJson(bytes);
  const refusal = route.body === "whole" && (json ?? null) === null ? hooks.absentBody?.(route.method) : undefined;
  if (refusal) throw refusal;
  return json ?? undefined;
}

function success(options: TranscoderOptions, call: TranscoderCall, route: Route, reply: Message): HttpResponse {
  const { hooks, answerLimit = 2 ** 24 } = options;
  const status = hooks.status?.(route, reply) ?? 200;
  const headers = hooks.headers?.(call, reply) ?? {};
  if (status === 204) return { status, headers, body: undefined };
  const json = renderJson(route.method.output, reply, route.responseField);
  const body = writeJson(json, answerLimit);
  return { status, headers: { "Content-Type": "application/json", ...headers }, body };
}

// HTTP/2 rejects some values that HTTP/1.1 accepted; no service could interpret them, so they are dropped.
function printableOnly(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

// The status that nginx logs if the client disconnects before the response.
const CLIENT_CLOSED_REQUEST = 499;
