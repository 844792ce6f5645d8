import type { Message } from "@bufbuild/protobuf";
import { readRaw, responseType } from "../bodies/http-body.ts";
import type { OpenCall } from "../calls/open-stream.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { Headers } from "../http/metadata.ts";
import { renderJson } from "../json-out/render-json.ts";
import { AnswerTooLarge, writeJson } from "../json-out/write-json.ts";
import type { Endpoint } from "../serving/endpoint.ts";
import { RAW_HEADERS } from "../serving/reply.ts";
import type { StreamFormat } from "./stream-format.ts";
import { type StreamWriter, streamMessages } from "./stream-messages.ts";

/** Renders an error as JSON. */
export type ErrorJson = (error: unknown) => Promise<string>;

/** Creates the response of a server stream whose first message has been received. */
export function createStreamReply(
  endpoint: Endpoint,
  call: OpenCall,
  format: StreamFormat,
  status: number,
  headers: Headers,
  errorJson: ErrorJson,
): HttpResponse {
  if (endpoint.returnsRaw) return rawStream(endpoint, call, status, headers);
  const writer: StreamWriter<Message> = {
    begin: format.begin,
    record: (message, isFirst) => format.record(jsonOf(endpoint, message), isFirst),
    error: async (error, isFirst) => format.error(await errorJson(error), isFirst),
    end: format.end,
    beat: format.beat,
  };
  const stream = streamMessages(call, writer, endpoint.stream);
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
  status: number,
  headers: Headers,
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
    stream: streamMessages(call, writer, stream),
  };
}
