import type { BindingOptions } from "../binding/reading.ts";
import { returnsRaw, takesRaw } from "../bodies/http-body.ts";
import { type CallUnary, createUnaryCall } from "../calls/call-route.ts";
import type { Headers, HttpRequest, HttpResponse } from "../http/messages.ts";
import { DEEPEST_STRUCT, MAX_NESTING } from "../json-in/parse-json.ts";
import type { JsonOptions } from "../json-out/render-json.ts";
import type { RouteTable } from "../matching/route-table.ts";
import type { ReplyHeaders, Route } from "../rules/route.ts";
import { STREAM_SETTINGS, type StreamSettings } from "../streams/stream-format.ts";
import type { Ending } from "../streams/stream-messages.ts";
import type { MethodSettings, TranscoderCall, TranscoderHooks, TranscoderOptions } from "../transcoder-options.ts";

/** The options, and everything that is computed from them once for all requests. */
export interface Plan {
  readonly options: TranscoderOptions;
  readonly table: RouteTable;
  readonly endpoints: ReadonlyMap<Route, Endpoint>;
  readonly hooks: TranscoderHooks;
  readonly renderError: (error: unknown, call: TranscoderCall) => HttpResponse | Promise<HttpResponse>;
  readonly forward: (request: HttpRequest) => Headers;
  readonly passBack: (received: ReplyHeaders) => Headers;
  readonly streams: { open: number; readonly max: number; readonly ending: Ending };
}

/** A route with its settings, defaults filled in, and what follows from both. */
export interface Endpoint {
  readonly route: Route;
  readonly binding: BindingOptions;
  readonly json: JsonOptions;
  readonly deadlineMs: number;
  readonly bodyLimit: number;
  readonly answerLimit: number;
  readonly stream: Required<StreamSettings>;
  /** Whether the body of a request, or of a response, is passed on as it is. */
  readonly takesRaw: boolean;
  readonly returnsRaw: boolean;
  /** Undefined for a server stream. */
  readonly call: CallUnary | undefined;
}

/** Creates the endpoints of all routes. @throws RangeError for a depth of JSON that is out of range */
export function createEndpoints(routes: readonly Route[], options: TranscoderOptions): ReadonlyMap<Route, Endpoint> {
  return new Map(routes.map((route) => [route, createEndpoint(route, options)]));
}

function createEndpoint(route: Route, options: TranscoderOptions): Endpoint {
  const own: MethodSettings = options.settings?.(route.method) ?? {};
  const binding = { ...options.binding, ...own.binding };
  const json = { ...options.json, ...own.json };
  const answerLimit = own.answerLimit ?? options.answerLimit ?? ANSWER_LIMIT;
  assertDepth("jsonDepth", 1_000, binding.jsonDepth);
  assertDepth("structDepth", DEEPEST_STRUCT, binding.structDepth);
  return {
    route,
    binding,
    json,
    answerLimit,
    deadlineMs: own.deadlineMs ?? options.deadlineMs ?? 10_000,
    bodyLimit: own.bodyLimit ?? options.bodyLimit ?? 2 ** 20,
    stream: { ...STREAM_SETTINGS, ...options.stream, ...own.stream },
    takesRaw: takesRaw(route),
    returnsRaw: returnsRaw(route),
    call:
      route.method.methodKind === "unary" ? createUnaryCall(route, answerLimit, json, binding.jsonDepth) : undefined,
  };
}

const ANSWER_LIMIT = 2 ** 24; // protects: answer-size

/** Refuses a depth out of range. Bodies are read recursively: 1,000 levels are far from the end of the stack. */
function assertDepth(name: string, max: number, depth = MAX_NESTING): void {
  if (!Number.isInteger(depth) || depth < 1 || depth > max)
    throw new RangeError(`${name} must be a whole number from 1 to ${max}, not ${depth}`);
}
