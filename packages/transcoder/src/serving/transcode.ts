import { Code, ConnectError } from "@connectrpc/connect";
import { inTime } from "../calls/deadline.ts";
import { openStream } from "../calls/open-stream.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { readWeights } from "../http/accept-header.ts";
import { callerDeadline } from "../http/caller-deadline.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { JSON_TYPE } from "../http/media-type.ts";
import { ClientDisconnected } from "../http/read-body.ts";
import type { RequestTarget } from "../matching/request-target.ts";
import type { RouteMatch } from "../matching/route-table.ts";
import { chooseFormat, STREAM_TYPES } from "../streams/stream-format.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Plan, Writable } from "./plan.ts";
import { type Proceed, readMessage } from "./read-message.ts";
import { refuse } from "./refuse.ts";
import { createReply } from "./reply.ts";
import { replyStream } from "./reply-stream.ts";

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
 * Reads, binds, calls and renders. Never rejects.
 *
 * @returns undefined if the client has disconnected before its request was complete
 */
export async function transcode(
  plan: Plan,
  call: TranscoderCall,
  match: RouteMatch,
  query: string,
  aborter: AbortController,
  proceed: Proceed,
): Promise<HttpResponse | undefined> {
  try {
    const endpoint = plan.endpoints.get(match.route) as Endpoint;
    const { options, hooks } = plan;
    if (options.accept === "refuse") assertAcceptable(endpoint, call.request.headers.accept);
    const callerMs = options.callerDeadlines === "ignore" ? undefined : callerDeadline(call.request.headers);
    const reading = readMessage(options, endpoint, call, match, query, proceed);
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
 * Returns the whole milliseconds, at least 1, that are left of a client's time, of which an RPC has `most`: Connect's
 * transports refuse fractions.
 */
function timeLeft(most: number, callerMs: number | undefined, { startedAt }: TranscoderCall): number {
  const left = callerMs === undefined ? most : callerMs - (performance.now() - startedAt);
  if (left <= 0) throw new ConnectError("the caller's deadline has passed", Code.DeadlineExceeded);
  return Math.max(1, Math.floor(Math.min(most, left)));
}

/** The type of an HttpBody is that of the reply, which is not here yet. */
function assertAcceptable({ call, returnsRaw, stream }: Endpoint, accept: string | undefined): void {
  if (returnsRaw) return;
  const types = call === undefined ? STREAM_TYPES : [JSON_TYPE];
  const isAcceptable =
    call === undefined ? chooseFormat(accept, stream.format) !== undefined : readWeights(accept)(JSON_TYPE).quality > 0;
  if (!isAcceptable) throw new TranscodingError("not-acceptable", { types });
}
