import type { DescMethodServerStreaming, Message } from "@bufbuild/protobuf";
import type { Route } from "../rules/route.ts";
import type { OpenStream } from "../streams/stream-messages.ts";
import type { ReplyHeaders } from "./route-transport.ts";

export interface OpenCall extends OpenStream<Message> {
  readonly headers: ReplyHeaders;
  /** Returns the trailers, once all messages have been received. */
  readonly trailers: () => ReplyHeaders;
}

/**
 * Calls a server streaming RPC and waits for its first message, or its end: until then it can still fail as a unary call
 * does. `closed` is called once, when the RPC has ended or `signal` is aborted.
 */
export async function openStream(
  { method, transport }: Route,
  message: Message,
  signal: AbortSignal,
  deadlineMs: number,
  headers: Readonly<Record<string, string>>,
  closed: () => void,
): Promise<OpenCall> {
  const own = new AbortController();
  let isOpen = true;
  let rest: AsyncIterator<Message> | undefined;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    signal.removeEventListener("abort", close);
    closed();
    own.abort();
    // A generator that waits for its next message to be asked for releases what it holds.
    rest?.return?.().catch(ignore);
  };
  signal.addEventListener("abort", close);
  try {
    const reply = await transport.stream(
      method as DescMethodServerStreaming,
      own.signal,
      deadlineMs,
      headers,
      one(message),
    );
    rest = reply.message[Symbol.asyncIterator]();
    const first = await rest.next();
    return {
      first,
      rest,
      close,
      headers: Object.fromEntries(reply.header),
      trailers: () => Object.fromEntries(reply.trailer ?? []),
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item;
}

function ignore(): void {}
