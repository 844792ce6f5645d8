import { accessCheckKey, accessRuleOf } from "@cloud/access";
import { Code, ConnectError, type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { encodeEnvelope, type UniversalHandler } from "@connectrpc/connect/protocol";
import { parseTimeout as connectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as grpcTimeout } from "@connectrpc/connect/protocol-grpc";
import { isOpenService } from "../follow-calls.ts";
import { admitCaller, type CallAdmission, refusalKey } from "./identify-caller.ts";
import { attemptKey, type CallAttempt } from "./interceptors.ts";
import { messageRefusal, replyRefusal, sendsJson, sentJsonKey } from "./message-refusal.ts";

/**
 * Admits the caller of a call of the library, which then has a deadline of at most `maxMs`. A refused call runs with an
 * empty message instead, so that it is counted, and refused in the form of its protocol.
 */
export function authenticateRequest(handler: UniversalHandler, door: CallAdmission, maxMs: number): UniversalHandler {
  const rule = isOpenService(handler.service) ? undefined : accessRuleOf(handler.method);
  const isStream = handler.method.methodKind !== "unary";
  const handle = async (request: UniversalRequest) => {
    shortenDeadline(request.header, maxMs, isStream);
    const contextValues = request.contextValues ?? createContextValues();
    if (isStream && rule !== undefined) contextValues.set(accessCheckKey, door.identify.later(request.header, rule));
    const isAdmitted = await admitCaller(door, request.header, contextValues, rule);
    // The adapter ends an aborted call silently. If the call went on to a reply, which cannot be sent, it would print
    // an error.
    if (request.signal.aborted) throw new ConnectError("the caller left while it was authenticated", Code.Aborted);
    const admitted = { ...(isAdmitted ? request : withEmptyMessage(request)), contextValues }; // protects: empty-body
    if (!isStream) return await serveUnary(handler, admitted);
    const response = await handler(admitted);
    return { ...response, body: whilePresent(response.body, request.signal) };
  };
  return Object.assign(handle, handler);
}

type UniversalRequest = Parameters<UniversalHandler>[0];

/**
 * Keeps the error that a handler ends with; the handler's option `requestGate`. The context's signal has the error of a
 * request, but not the error of a reply: gRPC's handler aborts the signal before it reports the error.
 */
export function captureError(context: HandlerContext): void {
  const attempt = context.values.get(attemptKey);
  if (attempt === undefined) return;
  const ending = context as HandlerContext & { abort(error?: unknown): void };
  const abort = ending.abort.bind(context);
  ending.abort = (error) => {
    attempt.error ??= error;
    abort(error);
  };
}

/**
 * Serves a unary call of the library, and refuses a message that cannot be decoded like any other invalid argument. The
 * library decodes before the first interceptor runs, and returns its own errors. Such a call therefore passes a second
 * time, with an empty message, so that it is counted before `authenticationInterceptor` ends it.
 * So does a call whose reply is too large, which the library refuses after the last interceptor.
 *
 * The messages of a stream are decoded behind the interceptors, so a stream needs no second pass: the error is replaced
 * where the messages are read.
 */
async function serveUnary(
  handler: UniversalHandler,
  request: UniversalRequest & { readonly contextValues: ContextValues },
) {
  const attempt: CallAttempt = {};
  request.contextValues.set(attemptKey, attempt);
  const response = handler(joinChunks(request));
  // Rejected if the library cannot put its own text into a trailer, such as one with half of a surrogate pair. Its
  // adapter would leave the call open.
  await response.catch(() => undefined);
  const refusal = attempt.accepted ? replyRefusal(attempt.error) : messageRefusal(attempt.error, handler.method.input);
  if (refusal === undefined) return response; // protects: undecodable-messages
  request.contextValues.set(refusalKey, { error: refusal });
  return await handler(withEmptyMessage(request));
}

/**
 * Ends the body of a stream whose caller has left, with ABORTED, which the adapter handles silently. Otherwise it would
 * write the end of the stream to the closed response, and print that this failed.
 */
async function* whilePresent(body: AsyncIterable<Uint8Array> | undefined, signal: AbortSignal) {
  for await (const chunk of body ?? []) {
    if (signal.aborted) throw new ConnectError("the caller has left", Code.Aborted);
    yield chunk;
  }
}

/** Replaces the message by an empty one in the same format. The other headers stay: the handler may refuse them. */
function withEmptyMessage(request: UniversalRequest): UniversalRequest {
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

/** The prefix of a gRPC message, which declares its length: a message too long is refused before the rest arrives. */
const PREFIX_BYTES = 5;
/** The size of the joined chunks: one read of Node, so that a message of an ordinary client is not copied again. */
const MIN_BYTES = 65_536;

/**
 * Joins small chunks of a unary message before the library collects them. The library's time grows with the square of
 * their number: 100,000 chunks of one byte took 7.5 s, in which no other call was served.
 */
function joinChunks(request: UniversalRequest): UniversalRequest {
  const { body } = request;
  if (!isStream(body)) return request;
  return { ...request, body: sendsJson(request.header) ? kept(joined(body), request) : joined(body) };
}

function isStream(body: UniversalRequest["body"]): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Keeps the first chunk of a request's JSON, in its first pass, for `spellAsCaller`. */
async function* kept(chunks: AsyncIterable<Uint8Array>, { contextValues }: UniversalRequest) {
  for await (const chunk of chunks) {
    if (contextValues?.get(sentJsonKey) === undefined) contextValues?.set(sentJsonKey, chunk);
    yield chunk; // protects: passed-chunks
  }
}

async function* joined(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let min = PREFIX_BYTES;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < min) continue; // protects: joined-chunks
    yield chunks.length === 1 ? chunk : Buffer.concat(chunks);
    [chunks, size, min] = [[], 0, MIN_BYTES];
  }
  if (size > 0) yield Buffer.concat(chunks);
}

/**
 * Shortens a deadline that is longer than `maxMs`, or removes it from a stream. Otherwise the library would refuse the
 * call, after it has begun a timer that Node cannot hold.
 */
export function shortenDeadline(header: Headers, maxMs: number, isStream: boolean): void {
  const shorten = (name: string, ms: number | undefined, longest: string) => {
    if (ms === undefined || ms <= maxMs) return;
    if (isStream) header.delete(name);
    else header.set(name, longest);
  };
  // A malformed one, which the library refuses, has no milliseconds.
  shorten("connect-timeout-ms", connectTimeout(header.get("connect-timeout-ms"), maxMs).timeoutMs, String(maxMs));
  shorten("grpc-timeout", grpcTimeout(header.get("grpc-timeout"), maxMs).timeoutMs, `${maxMs}m`);
}
