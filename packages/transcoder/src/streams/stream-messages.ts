import { Code, ConnectError } from "@connectrpc/connect";
import type { ResponseStream, StreamPart } from "../http/messages.ts";
import type { StreamSettings } from "./stream-format.ts";

/** The messages of an RPC whose first message has been received. */
export interface OpenStream<Message> {
  readonly first: IteratorResult<Message>;
  readonly rest: AsyncIterator<Message>;
  /** Ends the RPC and releases what it holds. */
  readonly close: () => void;
}

/** The functions and texts that write a stream's messages, its error and its end. */
export interface StreamWriter<Message> {
  readonly begin: string;
  /** Writes a message; undefined for one that is only a sign of life. */
  readonly record: (message: Message, isFirst: boolean) => string | Uint8Array | undefined;
  /** Writes the last record of a stream that fails; undefined for none. */
  readonly error: (error: unknown, isFirst: boolean) => Promise<string | undefined>;
  readonly end: string;
  /** The sign of life; undefined where a body cannot have one. */
  readonly beat: string | undefined;
}

type StreamTimes = Required<Pick<StreamSettings, "heartbeatMs" | "idleMs" | "unreadMs">>;

/** The end of all streams, when the program stops. */
export interface Ending {
  readonly isEnded: boolean;
  /** Calls `report` at the end. Returns the function that no longer does. */
  onEnd(report: () => void): () => void;
  end(): void;
}

/**
 * Turns messages into the parts of a body. It asks for a message only once the one before has been taken, so that a
 * client that reads slowly slows the RPC. An error, or `ending`, becomes the last record, and then the body is cut.
 */
export function streamMessages<Message>(
  { first, rest, close }: OpenStream<Message>,
  writer: StreamWriter<Message>,
  { heartbeatMs, idleMs, unreadMs }: StreamTimes,
  ending: Ending,
): ResponseStream {
  const begun: StreamPart[] = writer.begin === "" ? [] : [{ chunk: writer.begin }];
  const ended: ("end" | "cut")[] = [];
  let isFirst = true;
  let awaited: Promise<IteratorResult<Message>> | undefined = Promise.resolve(first);
  let silentMs = 0;

  const finish = (how: "end" | "cut", chunk: string | undefined): StreamPart => {
    close();
    if (chunk === undefined || chunk === "") return how;
    ended.push(how);
    return { chunk };
  };

  const next = async (): Promise<StreamPart> => {
    const how = ended[0];
    if (how !== undefined) return how;
    const start = begun.shift();
    if (start !== undefined) return start;
    try {
      awaited ??= rest.next();
      const result = await within(awaited, writer.beat === undefined ? idleMs : Math.min(heartbeatMs, idleMs), ending);
      if (result === ENDING) {
        awaited.catch(ignore);
        throw stopping();
      }
      if (result === LATE) return await idle();
      silentMs = 0;
      awaited = undefined;
      if (result.done === true) return finish("end", writer.end);
      const chunk = writer.record(result.value, isFirst);
      if (chunk === undefined) return { chunk: writer.beat ?? "" };
      isFirst = false;
      return { chunk };
    } catch (error) {
      return finish("cut", await writer.error(error, isFirst).catch(() => undefined));
    }
  };

  const idle = async (): Promise<StreamPart> => {
    silentMs += Math.min(heartbeatMs, idleMs);
    if (silentMs < idleMs && writer.beat !== undefined) return { chunk: writer.beat };
    awaited?.catch(ignore);
    throw new ConnectError("the stream was idle for too long", Code.DeadlineExceeded);
  };

  return { next, unreadMs };
}

export function createEnding(): Ending {
  // Callbacks, not a promise: a promise keeps its waiters until it settles.
  const reports = new Set<() => void>();
  let isEnded = false;
  return {
    get isEnded() {
      return isEnded;
    },
    onEnd: (report) => {
      reports.add(report);
      return () => void reports.delete(report);
    },
    end: () => {
      isEnded = true;
      for (const report of reports) report();
      reports.clear();
    },
  };
}

/** The error that a stream ends with: its client reconnects to another replica. */
export const stopping = () => new ConnectError("the server is stopping", Code.Unavailable);

const LATE = Symbol("late");
const ENDING = Symbol("ending");

/** Resolves with LATE if the promise is not settled in time, and with ENDING if all streams end before. */
async function within<T>(promise: Promise<T>, ms: number, ending: Ending): Promise<T | typeof LATE | typeof ENDING> {
  if (ending.isEnded) return ENDING;
  const { promise: other, resolve } = Promise.withResolvers<typeof LATE | typeof ENDING>();
  const timer = setTimeout(resolve, ms, LATE).unref();
  const forget = ending.onEnd(() => resolve(ENDING));
  try {
    return await Promise.race([promise, other]);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function ignore(): void {}
