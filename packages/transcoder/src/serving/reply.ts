import type { Message } from "@bufbuild/protobuf";
import { readRaw, responseType } from "../bodies/http-body.ts";
import type { Reply } from "../calls/call-route.ts";
import type { Headers, HttpRequest, HttpResponse, RequestMetadata } from "../http/messages.ts";
import { JSON_TYPE } from "../http/negotiation.ts";
import { AnswerTooLarge } from "../json-out/render-json.ts";
import type { ReplyHeaders } from "../rules/route.ts";
import type { TranscoderCall, TranscoderHooks } from "../transcoder-options.ts";
import type { Endpoint, Plan } from "./endpoint.ts";

/** The program's part in a reply: the hooks, and which headers are passed back. */
interface ReplyOptions {
  readonly hooks: TranscoderHooks;
  readonly passBack: (received: ReplyHeaders) => Headers;
}

/** Creates the response of a unary RPC. */
export function createReply(
  { hooks, passBack }: ReplyOptions,
  endpoint: Endpoint,
  call: TranscoderCall,
  reply: Reply,
): HttpResponse {
  const status = hooks.status?.(endpoint.route, reply.message) ?? 200;
  const received = passBack(reply.headers);
  const own = hooks.headers?.(call, reply.message, reply.headers) ?? NONE;
  if (status === 204 || status === 205) {
    // Decoded although nothing of it is sent: a reply that cannot be decoded is a failure.
    reply.message();
    return { status, headers: { ...received, ...own }, body: undefined };
  }
  if (endpoint.returnsRaw) return rawReply(endpoint, reply.message(), status, { ...received, ...own });
  return {
    status,
    headers: { "Content-Type": JSON_TYPE, ...received, ...own },
    body: reply.json(),
    encoding: "latin1",
  };
}

/** Renders an error; one that cannot be rendered becomes 500 without a body. Never throws nor rejects. */
export function refuse(plan: Plan, error: unknown, call: TranscoderCall): HttpResponse | Promise<HttpResponse> {
  try {
    const response = plan.renderError(error, call);
    return response instanceof Promise ? response.catch(() => BROKEN) : response;
  } catch {
    return BROKEN;
  }
}

const BROKEN: HttpResponse = { status: 500, headers: {}, body: "" };

/**
 * Headers that keep browsers from guessing a type for stored bytes: as HTML they would run as a page of this origin.
 */
export const RAW_HEADERS: Headers = { "X-Content-Type-Options": "nosniff" };

function rawReply({ route, answerLimit }: Endpoint, message: Message, status: number, headers: Headers): HttpResponse {
  const raw = readRaw(route, message);
  if (raw.data.byteLength > answerLimit) throw new AnswerTooLarge(`an answer over ${answerLimit} bytes`);
  return { status, headers: { "Content-Type": responseType(raw), ...RAW_HEADERS, ...headers }, body: raw.data };
}

const NONE: Headers = {};

/** The headers of a request that an RPC receives: who calls, what must match, and the trace. */
export const REQUEST_METADATA: readonly string[] = [
  "authorization",
  "if-match",
  "if-none-match",
  "traceparent",
  "tracestate",
];

/** The headers and trailers of an RPC's reply that the response has. */
export const REPLY_METADATA: readonly string[] = ["ETag", "Last-Modified", "Cache-Control"];

/** Creates the headers sent with an RPC. @throws TypeError for a name that belongs to the connection or the protocol */
export function createRequestMetadata(metadata: RequestMetadata): (request: HttpRequest) => Headers {
  if (typeof metadata === "function") return (request) => printableOnly(metadata(request));
  const names = metadata.map(checkedName);
  return ({ headers }) => {
    const forwarded: Record<string, string> = {};
    for (const name of names) {
      const value = headers[name];
      if (typeof value === "string" && PRINTABLE.test(value)) forwarded[name] = value;
    }
    return forwarded;
  };
}

/**
 * Selects the headers of a reply that the response has. A trailer counts like a header: the whole reply is here before
 * the response begins. @throws TypeError as `createRequestMetadata` does
 */
export function createReplyMetadata(metadata: readonly string[]): (received: ReplyHeaders) => Headers {
  const names = metadata.map((name) => [name, checkedName(name)] as const);
  if (names.length === 0) return () => NONE;
  return (received) => {
    const headers: Record<string, string> = {};
    for (const [shown, name] of names) {
      // Connect has trailers of unary calls among the headers, with a prefix.
      const value = received[name] ?? received[`trailer-${name}`];
      if (typeof value === "string") headers[shown] = value;
    }
    return headers;
  };
}

function checkedName(sent: string): string {
  const name = sent.toLowerCase();
  if (RESERVED.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new TypeError(`"${sent}" cannot be passed on: it belongs to the connection, the body or the protocol`);
  return name;
}

/** Headers that either side sets itself. */
const RESERVED =
  /^(?:connection|content-.*|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|grpc-.*|connect-.*)$/;

// HTTP/2 rejects some values that HTTP/1.1 accepted; no service could interpret them, so they are dropped.
function printableOnly(headers: Headers): Headers {
  for (const name in headers) if (!PRINTABLE.test(headers[name] ?? "")) return onlyPrintable(headers);
  return headers;
}

function onlyPrintable(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => PRINTABLE.test(value)));
}

const PRINTABLE = /^[\x20-\x7e]*$/;
