import type { DescMethodServerStreaming, Message } from "@bufbuild/protobuf";
import type { ReplyHeaders, Route } from "../rules/route.ts";
import type { OpenStream } from "../streams/stream-messages.ts";
import { Deadline } from "./call-route.ts";

export interface OpenCall extends OpenStream<Message> {
  readonly headers: ReplyHeaders;
}

/**
 * Calls a server streaming RPC and waits for its first message, or its end: until then it can still fail as a unary
 * call does. `closed` is called once, when the RPC has ended or `signal` is aborted. After `deadlineMs` the next
 * message is DEADLINE_EXCEEDED, whatever the transport does.
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
  let deadline: Deadline | undefined;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    signal.removeEventListener("abort", close);
    deadline?.clear();
    closed();
    own.abort();
    // A generator that waits for its next message to be asked for releases what it holds.
    rest?.return?.().catch(ignore);
  };
  signal.addEventListener("abort", close);
  try {
    const opening = transport.stream(
      method as DescMethodServerStreaming,
      own.signal,
      deadlineMs,
      headers,
      one(message),
    );
    const within = new Deadline(deadlineMs, (error) => own.abort(error));
    deadline = within;
    const reply = await within.race(opening);
    const messages = reply.message[Symbol.asyncIterator]();
    rest = messages;
    const first = await within.race(messages.next());
    return {
      first,
      rest: { next: () => within.race(messages.next()) },
      close,
      headers: Object.fromEntries(reply.header),
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
