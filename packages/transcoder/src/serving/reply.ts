import type { Message } from "@bufbuild/protobuf";
import { readRaw, responseType } from "../bodies/http-body.ts";
import type { Reply } from "../calls/call-route.ts";
import type { ReplyHeaders } from "../calls/route-transport.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { JSON_TYPE } from "../http/media-type.ts";
import type { Headers } from "../http/metadata.ts";
import { AnswerTooLarge } from "../json-out/write-json.ts";
import type { TranscoderCall, TranscoderHooks } from "../transcoder-options.ts";
import type { Endpoint } from "./endpoint.ts";

/** What of a reply is the program's: the hooks, and which headers are passed back. */
export interface ReplyOptions {
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
  const status = hooks.status?.(endpoint.route, reply.message) ?? endpoint.success.status;
  const received = passBack(reply.headers);
  const own = successHeaders(hooks, endpoint, call, reply);
  if (status === 204 || status === 205) {
    // Although nothing of it is sent: a reply that cannot be decoded is a failure.
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

/** Returns the headers of a success that its reply decides. */
export function successHeaders(
  hooks: TranscoderHooks,
  { success }: Endpoint,
  call: TranscoderCall,
  reply: Pick<Reply, "message" | "headers">,
): Headers {
  const headers = hooks.headers?.(call, reply.message, reply.headers) ?? NONE;
  const location = success.location?.(reply.message());
  return location === undefined ? headers : { Location: location, ...headers };
}

const NONE: Headers = {};

/** Browsers guess no other type for what a service has stored: it would run as a page of this origin. */
export const RAW_HEADERS: Headers = { "X-Content-Type-Options": "nosniff" };

function rawReply({ route, answerLimit }: Endpoint, message: Message, status: number, headers: Headers): HttpResponse {
  const raw = readRaw(route, message);
  if (raw.data.byteLength > answerLimit) throw new AnswerTooLarge(`an answer over ${answerLimit} bytes`);
  return { status, headers: { "Content-Type": responseType(raw), ...RAW_HEADERS, ...headers }, body: raw.data };
}
