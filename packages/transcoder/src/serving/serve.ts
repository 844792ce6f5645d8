import { TranscodingError } from "../errors/transcoding-error.ts";
import type { Cors } from "../http/cors.ts";
import type { HttpRequest, HttpResponse, Writable } from "../http/messages.ts";
import { applyConditions, type NodeRequest, type NodeResponse, writeResponse } from "../http/write-response.ts";
import type { RequestTarget } from "../matching/route-table.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import type { Plan } from "./endpoint.ts";
import { refuse } from "./reply.ts";
import { matchRequest, transcode } from "./transcode.ts";

/** A request that is being served. */
interface Served {
  /** Undefined, or a promise of it, if the client has disconnected. Never rejects. */
  readonly response: HttpResponse | Promise<HttpResponse | undefined>;
  /** Ends the RPC if the response was not sent completely. Call it once the response has been sent, or cannot be. */
  end(status: number, isSent: boolean): void;
}

/** Serves a request, whatever listener has received it. Never throws. */
export type Serve = (request: HttpRequest) => Served;

/** Creates the function that all listeners serve requests with. */
export function createServe(plan: Plan, cors: Cors | undefined): Serve {
  const { options, hooks } = plan;
  return (request) => {
    const target = cutTarget(request.url ?? "/");
    const call: Writable<TranscoderCall> = {
      request,
      path: target.path,
      route: undefined,
      startedAt: performance.now(),
    };
    let abort: AbortController | undefined;
    const begin = (): HttpResponse | Promise<HttpResponse | undefined> => {
      try {
        const match = matchRequest(plan, call, target);
        abort = new AbortController();
        return transcode(plan, call, match, target.query, abort);
      } catch (error) {
        const reply = options.optionsRequests === "refuse" ? undefined : optionsReply(error, request, cors);
        return reply ?? refuse(plan, error, call);
      }
    };
    return {
      response: finish(cors, request, begin()),
      end(status, isSent) {
        // A stream ends with its response, however that came about: it holds one of few places.
        if (!isSent || call.route?.method.methodKind === "server_streaming") abort?.abort();
        try {
          hooks.responded?.(call, status);
        } catch {
          // The response has been sent; nothing depends on the hook.
        }
      },
    };
  };
}

/** A listener of node:http and node:http2 that never throws and leaves no pending rejection. */
export type RequestListener = (request: NodeRequest, response: NodeResponse) => void;

/** Creates the listener for `request` events. */
export function createNodeListener(serve: Serve): RequestListener {
  return (request, response) => {
    // A client may disconnect at any time; without listeners the error would end the process.
    request.on("error", ignore);
    response.on("error", ignore);
    const send = (content: HttpResponse | undefined) => {
      try {
        if (content !== undefined) writeResponse(request, response, content);
      } catch {
        response.destroy();
      }
    };
    const served = serve(request as HttpRequest);
    response.on("close", () => {
      const isSent = response.writableFinished;
      served.end(response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST, isSent);
    });
    // A request refused before its body is read takes no promise: under overload that is nine of ten requests.
    if (served.response instanceof Promise) served.response.then(send, () => response.destroy());
    else send(served.response);
  };
}

function ignore(): void {}

/** The status that nginx logs if the client disconnects before the response. */
export const CLIENT_CLOSED_REQUEST = 499;

/** Splits a request target, `/path?query` or the absolute form that proxies send. Never throws. */
export function cutTarget(target: string): RequestTarget {
  const origin = target.startsWith("/") ? "" : (/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target)?.[0] ?? "");
  const text = target.slice(origin.length);
  const sent = /[\x80-\xff]/.test(text) ? text.replace(/[\x80-\xff]/g, escapeByte) : text;
  const mark = sent.indexOf("?");
  const path = mark < 0 ? sent : sent.slice(0, mark);
  return { path, segments: cutPath(path), query: mark < 0 ? "" : sent.slice(mark + 1) };
}

function cutPath(path: string): string[] {
  // An absolute form without a path means the root.
  if (path === "" || path === "/") return [];
  // A target without a "/", such as the "*" of OPTIONS: an empty segment matches nothing.
  if (!path.startsWith("/")) return [""];
  return path.slice(1).split("/");
}

// Node passes bytes above 127 as Latin-1 characters; escaped, they are decoded as the UTF-8 that clients mean.
function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

function finish(
  cors: Cors | undefined,
  request: HttpRequest,
  response: HttpResponse | Promise<HttpResponse | undefined>,
): HttpResponse | Promise<HttpResponse | undefined> {
  if (!needsFinishing(cors, request)) return response;
  if (!(response instanceof Promise)) return finishResponse(cors, request, response);
  return response.then((content) => content && finishResponse(cors, request, content));
}

/** Whether `finishResponse` has anything to apply. Most requests need nothing, and this saves them a promise. */
function needsFinishing(cors: Cors | undefined, { headers }: HttpRequest): boolean {
  return cors !== undefined || headers["if-none-match"] !== undefined;
}

/** Applies the concerns of HTTP alone, conditions and the headers of CORS, to any response, errors included. */
function finishResponse(cors: Cors | undefined, request: HttpRequest, response: HttpResponse): HttpResponse {
  const conditional = request.headers["if-none-match"] === undefined ? response : applyConditions(request, response);
  return cors === undefined ? conditional : cors.allow(request, conditional);
}

/**
 * Returns the response to an OPTIONS request whose path has no rule for it: 204 with the methods of the path, and
 * without any for `*`. Undefined for any other request or error.
 */
function optionsReply(error: unknown, request: HttpRequest, cors: Cors | undefined): HttpResponse | undefined {
  if (request.method !== "OPTIONS" || !(error instanceof TranscodingError)) return undefined;
  if (error.kind === "route-not-found" && request.url === "*") return { status: 204, headers: {}, body: undefined };
  if (error.kind !== "method-not-allowed") return undefined;
  const { allow = [] } = error.detail;
  return { status: 204, headers: { Allow: allow.join(", "), ...cors?.preflight(request, allow) }, body: undefined };
}
