import type { ServerResponse } from "node:http";
import {
  create,
  type DescMethodUnary,
  type DescService,
  type JsonWriteOptions,
  type Message,
} from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  Code,
  ConnectError,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { EncodedReply, takesEncodedKey } from "../encoded-reply.ts";
import { type ReceivedRequest, receivedKey, receivedOf } from "../follow-calls.ts";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { NodeHandler } from "./http1-server.ts";
import { admitCaller, type CallAdmission, refusalKey } from "./identify-caller.ts";
import { messageRefusal, sentJsonKey } from "./message-refusal.ts";
import { type PlainMethod, type PlainRequest, readMessage, recognizePlain } from "./plain-request.ts";

interface PlainOptions extends CallAdmission {
  readonly methods: ReadonlyMap<string, PlainMethod>;
  /** The interceptors of the general path. */
  readonly interceptors: readonly Interceptor[];
  /** How details of errors are written. */
  readonly jsonOptions: Partial<JsonWriteOptions>;
  readonly maxTimeoutMs: number;
}

/**
 * Serves the plain case of an RPC, by which the programs of this system call each other, without the streams, async
 * iterables and fetch objects of the library's adapter, which cost four times as much as the rest (docs/adr/0014). The
 * same interceptors run in the same order, and responses have the same bytes. All else goes to `general`.
 */
export function servePlainCalls(options: PlainOptions, general: NodeHandler): NodeHandler {
  const pipelines = new Map<PlainMethod, Pipeline>();
  for (const served of options.methods.values()) pipelines.set(served, pipelineOf(served, options.interceptors));
  return (request, response) => {
    const plain = recognizePlain(request, options.methods, options.maxTimeoutMs);
    const pipeline = plain && pipelines.get(plain.served);
    if (pipeline === undefined) general(request, response);
    else void serve(plain as PlainRequest, response as ServerResponse, pipeline, options);
  };
}

type Pipeline = (call: UnaryRequest) => Promise<UnaryResponse>;

/** Returns the interceptors around the handler and the encoding of its reply. */
function pipelineOf({ method, handle, serialization }: PlainMethod, interceptors: readonly Interceptor[]): Pipeline {
  const service = method.parent;
  const answer = async (request: UnaryRequest): Promise<UnaryResponse> => {
    const call = request as PlainCall;
    const result = await handle(call.message, call);
    const { responseHeader: header, responseTrailer: trailer } = call;
    const isEncoded = result instanceof EncodedReply;
    const message = isEncoded ? EMPTY : create(method.output, result as never);
    call.reply = isEncoded ? result.bytes : serialization.getO(call.isBinary).serialize(message);
    if (call.reply.byteLength > MAX_ANSWER_BYTES) throw fail(Reason.ANSWER_TOO_LARGE);
    return { stream: false, service, method, header, trailer, message };
  };
  return interceptors.reduceRight<Pipeline>((next, intercept) => intercept(next as never) as Pipeline, answer);
}

/** The interceptors' view of a reply that is encoded already: none of them reads it. */
const EMPTY = create(EmptySchema);

async function serve(plain: PlainRequest, response: ServerResponse, pipeline: Pipeline, options: PlainOptions) {
  const call = new PlainCall(plain, response);
  const { requestId } = call.received.correlation;
  try {
    await receive(plain, call, options);
    if (call.isAborted) return;
    const { header } = await pipeline(call);
    const contentType = plain.isBinary ? "application/proto" : "application/json";
    const named = ["content-type", contentType, "x-request-id", requestId];
    writeMessage(response, named, header, call.reply as Uint8Array);
  } catch (error) {
    if (!call.isAborted) writeError(response, error, requestId, options.jsonOptions);
  }
}

/** Admits the caller, then decodes its message. A refusal is kept for the interceptor that ends the call. */
async function receive({ request, served, length }: PlainRequest, call: PlainCall, door: CallAdmission) {
  const early = length <= READ_EARLY_BYTES ? readMessage(request, length) : undefined;
  early?.catch(() => undefined); // read below, unless the caller is refused
  if (!(await admitCaller(door, call.header, call.values, served.rule))) return;
  const bytes = await (early ?? readMessage(request, length));
  if (!call.isBinary) call.values.set(sentJsonKey, bytes);
  try {
    call.message = served.serialization.getI(call.isBinary).parse(bytes);
  } catch (error) {
    call.values.set(refusalKey, { error: messageRefusal(error, served.method.input) ?? error });
  }
}

/** The largest message that is read while its caller is authenticated: it has usually arrived with the headers. */
const READ_EARLY_BYTES = 65_536;

/** Writes the encoded message of a call that has succeeded, with the headers `own` and the interceptors' `header`. */
function writeMessage(response: ServerResponse, own: readonly string[], header: Headers, bytes: Uint8Array): void {
  write(response, 200, [...own, ...[...header].flat()], bytes);
}

/** Writes the error of a call, as the library does, with the id of the request. */
function writeError(
  response: ServerResponse,
  thrown: unknown,
  requestId: string,
  options: Partial<JsonWriteOptions>,
): void {
  const error =
    thrown instanceof ConnectError
      ? thrown
      : new ConnectError("internal error", Code.Internal, undefined, undefined, thrown);
  const headers = new Headers({ "content-type": "application/json", "x-request-id": requestId });
  if (!error.isWireError) mergeNonProtocolHeaders(headers, error.metadata);
  write(response, codeToHttpStatus(error.code), [...headers].flat(), errorToJsonBytes(error, options));
}

function write(response: ServerResponse, status: number, headers: string[], body: Uint8Array): void {
  if (response.destroyed) return;
  response.writeHead(status, [...headers, "content-length", String(body.byteLength)]);
  if (body.byteLength > COPIED) {
    response.end(body);
    return;
  }
  // Node writes a text of the same encoding together with the headers.
  response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"), "latin1");
}

/**
 * The largest body that is copied: a second buffer to write is dearer, as `writev` costs 30 to 100 µs on virtual
 * machines.
 */
const COPIED = 16_384;

/** A plain call. The interceptors receive it as the request, and the handler as its context. */
export class PlainCall implements UnaryRequest, HandlerContext {
  readonly stream = false;
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly method: DescMethodUnary;
  readonly service: DescService;
  readonly url: string;
  readonly header: Headers;
  readonly contextValues = createContextValues();
  readonly isBinary: boolean;
  readonly received: ReceivedRequest;
  message: Message;
  /** The encoded reply. */
  reply: Uint8Array | undefined;
  readonly #controller = new AbortController();
  readonly #expiresAt: number | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #isAborted = false;

  constructor({ request, served, isBinary, timeoutMs }: PlainRequest, response: ServerResponse) {
    this.received = receivedOf(request);
    const { at } = this.received;
    this.method = served.method;
    this.service = served.method.parent;
    this.url = `http://${request.headers.host}${request.url}`;
    this.isBinary = isBinary;
    this.header = headersOf(request.headers);
    this.message = create(served.method.input);
    this.contextValues.set(receivedKey, this.received).set(takesEncodedKey, this.isBinary);
    this.#expiresAt = timeoutMs === undefined ? undefined : at + timeoutMs;
    const expire = () => this.#controller.abort(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    response.once("close", () => {
      clearTimeout(timer);
      if (response.writableFinished) return;
      this.#isAborted = true;
      this.#controller.abort();
    });
  }

  /** Whether the caller has closed the connection, so that no reply can reach it. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Aborted when the caller leaves or the deadline passes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get values() {
    return this.contextValues;
  }

  get requestHeader() {
    return this.header;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  timeoutMs(): number | undefined {
    return this.#expiresAt === undefined ? undefined : this.#expiresAt - performance.now();
  }
}

function headersOf(received: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const name in received) {
    const value = received[name];
    if (typeof value === "string") headers.set(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
