import type { Message } from "@bufbuild/protobuf";
import { readRaw, responseType } from "../bodies/http-body.ts";
import type { OpenCall } from "../calls/open-stream.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { renderJson } from "../json-out/render-json.ts";
import { AnswerTooLarge, writeJson } from "../json-out/write-json.ts";
import type { Endpoint } from "../serving/endpoint.ts";
import type { Headers } from "../serving/reply.ts";
import { RAW_HEADERS } from "../serving/reply.ts";
import type { Ending } from "./ending.ts";
import type { StreamFormat } from "./stream-format.ts";
import { type StreamWriter, streamMessages } from "./stream-messages.ts";

/** Renders an error as JSON. */
type ErrorJson = (error: unknown) => Promise<string>;

/** What a stream's response has besides its messages. */
export interface StreamReply {
  readonly format: StreamFormat;
  readonly status: number;
  readonly headers: Headers;
  readonly errorJson: ErrorJson;
  readonly ending: Ending;
}

/** Creates the response of a server stream whose first message has been received. */
export function createStreamReply(endpoint: Endpoint, call: OpenCall, reply: StreamReply): HttpResponse {
  if (endpoint.returnsRaw) return rawStream(endpoint, call, reply);
  const { format, status, headers, errorJson, ending } = reply;
  const writer: StreamWriter<Message> = {
    begin: format.begin,
    record: (message, isFirst) => {
      const { id, isMark = false, name } = endpoint.stream.event(message);
      if (isMark && id === undefined) return undefined;
      const head = id === undefined ? "" : (format.id?.(id, isMark) ?? "");
      return head !== "" && isMark ? head : head + format.record(jsonOf(endpoint, message), isFirst, name);
    },
    error: async (error, isFirst) => format.error(await errorJson(error), isFirst),
    end: format.end,
    beat: format.beat,
  };
  const stream = streamMessages(call, writer, endpoint.stream, ending);
  // Proxies must neither keep the events nor collect them.
  const caching: Headers = format.type === "text/event-stream" ? { "Cache-Control": "no-cache" } : {};
  return {
    status,
    headers: { "Content-Type": format.type, Vary: "Accept", ...caching, ...headers },
    body: undefined,
    stream,
  };
}

function jsonOf({ route, answerLimit, json }: Endpoint, message: Message): string {
  return writeJson(renderJson(route.method.output, message, route.responseField, json), answerLimit);
}

/** The bytes of all messages, one after the other; the first one declares their type. */
function rawStream(
  { route, answerLimit, stream }: Endpoint,
  call: OpenCall,
  { status, headers, ending }: StreamReply,
): HttpResponse {
  const { first } = call;
  const type = first.done === true ? "" : responseType(readRaw(route, first.value));
  const writer: StreamWriter<Message> = {
    begin: "",
    record: (message) => {
      const { data } = readRaw(route, message);
      if (data.byteLength > answerLimit) throw new AnswerTooLarge(`a message over ${answerLimit} bytes`);
      return data;
    },
    error: async () => undefined,
    end: "",
    beat: undefined,
  };
  return {
    status,
    headers: { ...(type !== "" && { "Content-Type": type }), ...RAW_HEADERS, ...headers },
    body: undefined,
    stream: streamMessages(call, writer, stream, ending),
  };
}
