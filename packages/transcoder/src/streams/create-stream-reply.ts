import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { readRaw, responseType } from "../bodies/http-body.ts";
import type { OpenCall } from "../calls/open-stream.ts";
import type { Headers, HttpResponse } from "../http/messages.ts";
import { AnswerTooLarge, renderJson, writeJson } from "../json-out/render-json.ts";
import type { Endpoint, Plan } from "../serving/endpoint.ts";
import { RAW_HEADERS, refuse } from "../serving/reply.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import { chooseFormat, formatOf, type StreamFormat } from "./stream-format.ts";
import { type Ending, type StreamWriter, stopping, streamMessages } from "./stream-messages.ts";

/**
 * Opens a server stream, unless the most streams are open, and creates its response. Rejects with the error that the
 * RPC fails with before its first message.
 */
export async function replyStream(
  plan: Plan,
  endpoint: Endpoint,
  call: TranscoderCall,
  signal: AbortSignal,
  open: (closed: () => void) => Promise<OpenCall>,
): Promise<HttpResponse> {
  const { streams, hooks } = plan;
  if (streams.ending.isEnded) throw stopping();
  if (streams.open >= streams.max) throw new ConnectError("too many streams are open", Code.Unavailable);
  streams.open++;
  const opened = await open(() => streams.open--);
  try {
    const { format: preferred } = endpoint.stream;
    const format = chooseFormat(call.request.headers.accept, preferred) ?? formatOf(preferred);
    const reply = { headers: opened.headers, message: () => opened.first.value };
    const isEmpty = opened.first.done === true;
    const headers = {
      ...plan.passBack(opened.headers),
      ...(isEmpty ? {} : hooks.headers?.(call, reply.message, reply.headers)),
    };
    const own = isEmpty ? undefined : hooks.status?.(endpoint.route, reply.message);
    const status = own ?? 200;
    const errorJson = async (error: unknown) => String((await refuse(plan, error, call)).body || "null");
    if (call.request.method === "HEAD" || signal.aborted) opened.close();
    const { ending } = streams;
    return createStreamReply(endpoint, opened, { format, status, headers, errorJson, ending });
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Renders an error as JSON. */
type ErrorJson = (error: unknown) => Promise<string>;

/** The parts of a stream's response besides its messages. */
interface StreamReply {
  readonly format: StreamFormat;
  readonly status: number;
  readonly headers: Headers;
  readonly errorJson: ErrorJson;
  readonly ending: Ending;
}

/** Creates the response of a server stream whose first message has been received. */
function createStreamReply(endpoint: Endpoint, call: OpenCall, reply: StreamReply): HttpResponse {
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

/** Creates a response of the bytes of all messages, one after the other; the first message declares their type. */
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
