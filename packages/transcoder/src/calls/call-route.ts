import { isUtf8 } from "node:buffer";
import {
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { DEEPEST_STRUCT, MAX_NESTING } from "../json-in/parse-json.ts";
import { findFieldWriter, findWriter } from "../json-out/compiled/compile-message.ts";
import { FALL_BACK, JsonWriter, WireReader } from "../json-out/compiled/wire-and-json.ts";
import { isCompiledForm, type JsonOptions, renderJson, writeJson } from "../json-out/render-json.ts";
import type { ReplyHeaders, Route } from "../rules/route.ts";

/** The reply of an RPC. */
export interface Reply {
  /** Returns the message; decoded once, and only if it is asked for. */
  readonly message: () => Message;
  /** Writes the reply, or its response field, as JSON. */
  readonly json: () => BinaryText;
  /** The headers of the reply, and its trailers. */
  readonly headers: ReplyHeaders;
}

/** Bytes of JSON, one character for each: Node writes text and head at once, and this kind of text fastest. */
type BinaryText = string;

/** Calls an RPC; `deadlineMs` is what is left of its time. */
export type CallUnary = (
  message: Message,
  signal: AbortSignal,
  deadlineMs: number,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>;

/** Creates the call of a unary RPC: by bytes where the transport passes them, which saves decoding the reply. */
export function createUnaryCall(
  route: Route,
  answerLimit: number,
  options: JsonOptions,
  jsonDepth?: number,
): CallUnary {
  const { transport, responseField } = route;
  const method = route.method as DescMethodUnary;
  const { unaryBinary } = transport;
  if (unaryBinary === undefined) {
    return async (message, signal, deadlineMs, headers) => {
      const reply = await transport.unary(method, signal, deadlineMs, headers, message);
      return {
        message: () => reply.message,
        json: () => renderText(method.output, reply.message, responseField, answerLimit, options),
        headers: { ...Object.fromEntries(reply.trailer ?? []), ...Object.fromEntries(reply.header) },
      };
    };
  }
  const decoding = { recursionLimit: messagesOf(jsonDepth) };
  // Compiled with the first reply: a program that starts serves none of most routes for a while.
  let write: WriteReply | undefined;
  return async (message, signal, deadlineMs, headers) => {
    const request = toBinary(method.input, message);
    const reply = await unaryBinary(method, signal, deadlineMs, headers, request);
    const bytes = reply.message;
    let decoded: Message | undefined;
    return {
      message() {
        decoded ??= fromBinary(method.output, bytes, decoding);
        return decoded;
      },
      json() {
        write ??= compileReply(method.output, responseField, answerLimit, options, decoding.recursionLimit);
        return write(bytes);
      },
      headers: reply.headers,
    };
  };
}

/**
 * Compiles the conversion of a reply, or only of its response field, from Protobuf bytes to the JSON that `renderJson`
 * and `writeJson` produce, of at most `limit` bytes. No message is created: for a list of 25 records that takes four
 * times as long. What the compiled writer leaves aside is decoded and rendered by those two.
 */
export function compileReply(
  type: DescMessage,
  only: DescField | undefined,
  limit: number,
  options: JsonOptions,
  recursionLimit = messagesOf(),
): WriteReply {
  const writeGenerally: WriteReply = (reply) =>
    renderText(type, fromBinary(type, reply, { recursionLimit }), only, limit, options);
  if (!isCompiledForm(options)) return writeGenerally;
  const write = only === undefined ? findWriter(type) : findFieldWriter(type, only);
  if (write === undefined) return writeGenerally; // protects: json-writers
  return (reply) => {
    try {
      output.begin(limit);
      write(new WireReader(reply, recursionLimit), output, reply.length, 1);
      const json = output.bytes.subarray(0, output.at);
      if (output.at > limit || !isUtf8(json)) throw FALL_BACK;
      return json.toString("latin1");
    } catch (error) {
      if (error !== FALL_BACK) throw error;
      return writeGenerally(reply);
    }
  };
}

/** Writes the bytes of a reply as JSON. @throws AnswerTooLarge, or what the decoder throws */
type WriteReply = (reply: Uint8Array) => BinaryText;

/**
 * Returns how many messages a reply may have in one another: 100, which decoders take by default, and two for each of
 * the `jsonDepth` levels of a Struct.
 */
export function messagesOf(jsonDepth = MAX_NESTING): number {
  return 100 + 2 * Math.min(jsonDepth, DEEPEST_STRUCT);
}

/** Waits for a call for at most `ms`, and aborts it then. */
export async function inTime<T>(call: Promise<T>, ms: number, aborter: AbortController): Promise<T> {
  const deadline = new Deadline(ms, (error) => aborter.abort(error));
  try {
    return await deadline.race(call);
  } finally {
    deadline.clear();
  }
}

/**
 * Ends the wait for an RPC once its time is over: a transport may ignore the timeout and the signal that it is called
 * with. A later result is dropped.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #error: ConnectError | undefined;
  #reject: ((error: ConnectError) => void) | undefined;

  /** Starts after the call has begun, so that the error of a transport with the same timeout comes first. */
  constructor(ms: number, expire: (error: ConnectError) => void) {
    this.#timer = setTimeout(
      () => {
        this.#error = new ConnectError("the deadline has passed", Code.DeadlineExceeded);
        this.#reject?.(this.#error);
        expire(this.#error);
      },
      Math.min(ms, LONGEST_MS),
    );
  }

  /** Settles as the promise does, or rejects with DEADLINE_EXCEEDED. One promise at a time. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
      if (this.#error !== undefined) reject(this.#error);
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** The longest time of a timer; beyond it, Node fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Renders a reply that is decoded already. */
function renderText(
  type: DescMessage,
  reply: Message,
  only: DescField | undefined,
  limit: number,
  options: JsonOptions,
): BinaryText {
  return Buffer.from(writeJson(renderJson(type, reply, only, options), limit)).toString("latin1");
}

/** The writer of all replies: no reply is written while another one is. */
const output = new JsonWriter();
