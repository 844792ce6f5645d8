import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue, Message } from "@bufbuild/protobuf";
import { type Answer, writeAnswer } from "./answer.ts";
import { bindRequest } from "./bind-request.ts";
import { compileRoutes } from "./compile-routes.ts";
import { requireJson } from "./media-type.ts";
import { parseJson } from "./parse-json.ts";
import { ClientGone, readBody } from "./read-body.ts";
import { renderJson } from "./render-json.ts";
import { cutTarget, type RequestTarget } from "./request-target.ts";
import type { Route } from "./route.ts";
import { createRouteTable, type RouteMatch, type RouteTable } from "./route-table.ts";
import type { TranscoderCall, TranscoderOptions } from "./transcoder-options.ts";

/** A Node request listener that never throws and leaves no promise behind. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the listener. A rule that is invalid or ambiguous throws an Error here, at start-up. */
export function createTranscoder(options: TranscoderOptions): RequestListener {
  const table = createRouteTable(compileRoutes(options.services, options.rule));
  return (request, response) => {
    // A client may go away at any time; without listeners that would end the process.
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
    abort.abort();
    attempt(() => options.hooks.answered?.(call, response.headersSent ? response.statusCode : CLIENT_GONE));
  });
  const answer = await answerCall(options, table, call, target, abort.signal);
  if (answer !== undefined) writeAnswer(request, response, answer);
}

async function answerCall(
  options: TranscoderOptions,
  table: RouteTable,
  call: OpenCall,
  target: RequestTarget,
  signal: AbortSignal,
): Promise<Answer | undefined> {
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
    if (error instanceof ClientGone) return undefined;
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
    const body = await readJsonBody(options, call.request, match.route);
    return bindRequest(match.route, { values: match.values, query: target.query, body });
  } catch (error) {
    if (!(error instanceof ClientGone)) await options.hooks.beforeReject?.(call);
    throw error;
  }
}

async function readJsonBody(options: TranscoderOptions, request: IncomingMessage, route: Route) {
  const { bodyLimit = 2 ** 20, hooks } = options;
  if (route.body !== "none") requireJson(request.headers);
  const bytes = await readBody(request, bodyLimit);
  if (route.body === "none") return undefined;
  const json: JsonValue | undefined = bytes.length === 0 ? undefined : parseJson(bytes);
  const refusal = route.body === "whole" && (json ?? null) === null ? hooks.absentBody?.(route.method) : undefined;
  if (refusal) throw refusal;
  return json ?? undefined;
}

function success({ hooks }: TranscoderOptions, call: TranscoderCall, route: Route, reply: Message): Answer {
  const status = hooks.status?.(route, reply) ?? 200;
  const headers = hooks.headers?.(call, reply) ?? {};
  if (status === 204) return { status, headers, body: undefined };
  const json = renderJson(route.method.output, reply, route.responseField);
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(json) };
}

// HTTP/2 refuses some of what HTTP/1.1 let in; such a value says nothing that a service could understand.
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

// What nginx logs for a client that did not wait for its answer.
const CLIENT_GONE = 499;
