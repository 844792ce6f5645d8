import type { DescMessage } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { encodeEnvelope, type UniversalHandler } from "@connectrpc/connect/protocol";
import { joinChunks } from "./join-chunks.ts";
import { messageRefusal, replyRefusal } from "./message-refusal.ts";

export type UniversalRequest = Parameters<UniversalHandler>[0];

/** One pass of a request through its handler. */
export interface Pass {
  /** The error that ended the pass; undefined if it succeeded, or the handler refused the request by its headers. */
  error?: unknown;
  /** Whether the message was decoded and the caller authenticated. */
  accepted?: boolean;
  /** The error to end the call with, once the caller is authenticated. */
  readonly refusal?: Error;
}

export const passKey = createContextKey<Pass | undefined>(undefined, { description: "pass of a request" });

/**
 * Serves a unary call of the library, and refuses a message that cannot be decoded like any other invalid argument. The library decodes before the first
 * interceptor runs, and returns its own errors. Such a call therefore passes a second time, with an empty message, so
 * that it is counted and its caller authenticated before `refusalInterceptor` ends it. So does a call whose reply is too
 * large, which the library refuses after the last interceptor.
 *
 * The messages of a stream are decoded behind the interceptors, so a stream needs no second pass: `refusalInterceptor`
 * replaces the error where the messages are read.
 */
export async function serveUnary(
  handler: UniversalHandler,
  request: UniversalRequest & { readonly contextValues: ContextValues },
) {
  const pass: Pass = {};
  request.contextValues.set(passKey, pass);
  const response = handler(joinChunks(request));
  // Rejected if the library cannot put its own text into a trailer, such as one with half of a surrogate pair. Its
  // adapter would leave the call open.
  await response.catch(() => undefined);
  const refusal = pass.accepted ? replyRefusal(pass.error) : messageRefusal(pass.error, handler.method.input);
  if (refusal === undefined) return response; // protects: undecodable-messages
  request.contextValues.set(passKey, { refusal });
  return await handler(withEmptyMessage(request));
}

/**
 * Keeps the error that a handler ends with. Belongs into the handler's option `requestGate`. The context's signal has the
 * error of a request, but not that of a reply: gRPC's handler aborts it before it reports the error.
 */
export function keepError(context: HandlerContext): void {
  const pass = context.values.get(passKey);
  if (pass === undefined) return;
  const ending = context as HandlerContext & { abort(error?: unknown): void };
  const abort = ending.abort.bind(context);
  ending.abort = (error) => {
    pass.error ??= error;
    abort(error);
  };
}

/**
 * Ends the second pass of a call whose message cannot be decoded, and a stream at such a message. Belongs after all
 * other interceptors.
 */
export const refusalInterceptor: Interceptor = (next) => async (request) => {
  if (request.stream) {
    return await next({ ...request, message: refusing(request.message, request.method.input) });
  }
  const pass = request.contextValues.get(passKey);
  if (pass?.refusal !== undefined) {
    throw pass.refusal;
  }
  if (pass !== undefined) pass.accepted = true;
  return await next(request);
};

async function* refusing<T>(messages: AsyncIterable<T>, expected: DescMessage): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw messageRefusal(error, expected) ?? error;
  }
}

/** Replaces the message by an empty one in the same format. The other headers stay: the handler may refuse them. */
export function withEmptyMessage(request: UniversalRequest): UniversalRequest {
  const header = new Headers(request.header);
  header.delete("content-encoding");
  header.delete("content-length");
  const contentType = header.get("content-type") ?? "";
  const message = new TextEncoder().encode(/json/i.test(contentType) ? "{}" : "");
  const isFramed = /^application\/(?:grpc|connect\+)/i.test(contentType);
  return { ...request, header, body: bodyOf(isFramed ? encodeEnvelope(0, message) : message) };
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
