import { Code, ConnectError } from "@connectrpc/connect";
import type { OpenCall } from "../calls/open-stream.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { createStreamReply } from "../streams/create-stream-reply.ts";
import { stopping } from "../streams/ending.ts";
import { chooseFormat, formatOf } from "../streams/stream-format.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Plan } from "./plan.ts";
import { refuse } from "./reply.ts";

/**
 * Opens a server stream, if it finds a place, and creates its response. Rejects with what the RPC fails with before its
 * first message.
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
  if (streams.open >= streams.most) throw new ConnectError("too many streams are open", Code.Unavailable);
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
