import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { bindRequest } from "../binding/bind-request.ts";
import type { RawBody } from "../bodies/http-body.ts";
import { inTime } from "../calls/call-route.ts";
import { openStream } from "../calls/open-stream.ts";
import { locateViolations } from "../errors/locate-violations.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { callerDeadline } from "../http/caller-deadline.ts";
import type { HttpRequest, HttpResponse, Writable } from "../http/messages.ts";
import { CONTENT_ENCODINGS, decodeBody, encodingOf, requireJson } from "../http/negotiation.ts";
import { ClientDisconnected, readBody } from "../http/read-body.ts";
import { parseJson } from "../json-in/parse-json.ts";
import { takesNull } from "../json-in/read-json.ts";
import type { RequestTarget, RouteMatch } from "../matching/route-table.ts";
import { replyStream } from "../streams/create-stream-reply.ts";
import type { TranscoderCall, TranscoderOptions } from "../transcoder-options.ts";
import type { Endpoint, Plan } from "./endpoint.ts";
import { createReply, refuse } from "./reply.ts";

/** Finds the route of a request; throws if there is none, or if the program refuses the request. */
export function matchRequest(
  { table, hooks }: Plan,
  call: Writable<TranscoderCall>,
  target: RequestTarget,
): RouteMatch {
  const match = table.match(call.request.method ?? "GET", target);
  call.route = match.route;
  hooks.matched?.(call);
  return match;
}

/**
 * Serves a matched request: reads and binds it, calls the RPC and renders the reply. Never rejects.
 *
 * @returns undefined if the client has disconnected before its request was complete
 */
export async function transcode(
  plan: Plan,
  call: TranscoderCall,
  match: RouteMatch,
  query: string,
  aborter: AbortController,
): Promise<HttpResponse | undefined> {
  try {
    const endpoint = plan.endpoints.get(match.route) as Endpoint;
    const { options, hooks } = plan;
    const callerMs = options.callerDeadlines === "ignore" ? undefined : callerDeadline(call.request.headers);
    const reading = readMessage(options, endpoint, call, match, query);
    const { message, hasBody } = reading instanceof Promise ? await reading : reading;
    const bound = hooks.bound?.(call, message, hasBody);
    if (bound !== undefined) await bound;
    const headers = plan.forward(call.request);
    if (endpoint.call === undefined) {
      const deadlineMs = timeLeft(endpoint.stream.longestMs, callerMs, call);
      return await replyStream(plan, endpoint, call, aborter.signal, (closed) =>
        openStream(match.route, message, aborter.signal, deadlineMs, headers, closed),
      );
    }
    const deadlineMs = timeLeft(endpoint.deadlineMs, callerMs, call);
    const reply = await inTime(endpoint.call(message, aborter.signal, deadlineMs, headers), deadlineMs, aborter);
    return createReply(plan, endpoint, call, reply);
  } catch (error) {
    return error instanceof ClientDisconnected ? undefined : await refuse(plan, error, call);
  }
}

/**
 * Returns the whole milliseconds that an RPC has: what is left of the client's time, at least 1 and at most `max`.
 * Connect's transports refuse fractions.
 */
function timeLeft(max: number, callerMs: number | undefined, { startedAt }: TranscoderCall): number {
  const left = callerMs === undefined ? max : callerMs - (performance.now() - startedAt);
  if (left <= 0) throw new ConnectError("the caller's deadline has passed", Code.DeadlineExceeded);
  return Math.max(1, Math.floor(Math.min(max, left)));
}

/** The message of a request, and whether its body has anything but `null`. */
interface ReadMessage {
  readonly message: Message;
  readonly hasBody: boolean;
}

/**
 * Reads the body of a request and binds it with path and query; without a body at once, which saves a promise. Throws,
 * or rejects with, a TranscodingError with all violations, ClientDisconnected, or what the hook `largeBody` throws.
 */
function readMessage(
  options: TranscoderOptions,
  endpoint: Endpoint,
  call: TranscoderCall,
  match: RouteMatch,
  query: string,
): ReadMessage | Promise<ReadMessage> {
  if (isBodiless(call.request)) return bind(endpoint, call, match, query, NOTHING);
  return readBytes(options, endpoint, call).then((bytes) => bind(endpoint, call, match, query, bytes));
}

const NOTHING = Buffer.alloc(0);

function bind(
  endpoint: Endpoint,
  call: TranscoderCall,
  { values }: RouteMatch,
  query: string,
  bytes: Buffer,
): ReadMessage {
  const { route, binding } = endpoint;
  try {
    const raw = endpoint.takesRaw ? rawBody(call, bytes) : undefined;
    const body = endpoint.takesRaw ? undefined : readJson(endpoint, bytes);
    const literal = typeof body === "number" ? bytes.toString() : undefined;
    const message = bindRequest(route, { values, query, body, literal, raw }, binding);
    return { message, hasBody: body !== undefined || raw !== undefined };
  } catch (error) {
    throw error instanceof TranscodingError ? locateViolations(error, bytes, route) : error;
  }
}

async function readBytes(
  options: TranscoderOptions,
  { route, bodyLimit, takesRaw }: Endpoint,
  call: TranscoderCall,
): Promise<Buffer> {
  const { headers } = call.request;
  const { jsonTypes = "suffix", requestEncodings = CONTENT_ENCODINGS, decodingRatio = 100, hooks } = options;
  const isBound = route.body !== "none";
  if (isBound && !takesRaw) requireJson(headers, route.httpMethod, jsonTypes);
  const encoding = isBound ? encodingOf(headers, requestEncodings) : undefined;
  const bytes = await readBody(call.request, bodyLimit, async () => hooks?.largeBody?.(call));
  if (encoding === undefined || bytes.length === 0) return bytes;
  return await decodeBody(bytes, encoding, { size: bodyLimit, ratio: decodingRatio });
}

function rawBody({ request: { headers } }: TranscoderCall, data: Buffer): RawBody | undefined {
  const contentType = headers["content-type"];
  if (data.length === 0 && contentType === undefined) return undefined;
  return { contentType: contentType ?? "", data };
}

/** Returns undefined for `null`, too, which only a google.protobuf.Value has as its JSON. */
function readJson({ route, binding }: Endpoint, bytes: Buffer) {
  if (route.body === "none") {
    if (bytes.length > 0 && binding.unboundBody !== "ignore") throw new TranscodingError("unexpected-body");
    return undefined;
  }
  const json = bytes.length === 0 ? undefined : parseJson(bytes, binding.jsonDepth);
  return json === null && (route.body === "whole" || !takesNull(route.body)) ? undefined : json;
}

/** Whether no body follows, so that there is no end to wait for. */
function isBodiless(request: HttpRequest): boolean {
  // HTTP/2 needs neither header: a flag of the head says that nothing follows.
  if ("stream" in request) return (request.stream as { readonly endAfterHeaders?: boolean }).endAfterHeaders === true;
  const { headers } = request;
  // Without either there is no body (RFC 9112, 6.3).
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}
