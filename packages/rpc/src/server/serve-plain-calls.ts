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
import { EncodedReply, takesEncodedKey } from "../encoded-reply.ts";
import { type NodeRequest, type ReceivedRequest, receivedKey, receivedOf } from "../follow-calls.ts";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { NodeHandler } from "./http1-server.ts";
import { admitCaller, type CallAdmission, refusalKey } from "./identify-caller.ts";
import { messageRefusal, sentJsonKey } from "./message-refusal.ts";
import * as connect from "./plain-connect.ts";
import * as grpc from "./plain-grpc.ts";
import type { PlainMethod, PlainRequest } from "./plain-methods.ts";

interface PlainOptions extends CallAdmission {
  readonly methods: ReadonlyMap<string, PlainMethod>;
  /** The interceptors of the general path. */
  readonly interceptors: readonly Interceptor[];
  /** How details of errors are written. */
  readonly jsonOptions: Partial<JsonWriteOptions>;
  readonly maxTimeoutMs: number;
}

/**
 * Serves the plain case, an uncompressed unary call, without the streams, async iterables and fetch objects of the
 * library's adapter, which cost four times as much as the rest (docs/adr/0014): Connect over HTTP/1.1, by which the
 * programs of this system call each other, and gRPC. The same interceptors run in the same order, and responses have
 * the same bytes. All else goes to `general`.
 */
export function servePlainCalls(options: PlainOptions, general: NodeHandler): NodeHandler {
  const pipelines = new Map<PlainMethod, Pipeline>();
  for (const served of options.methods.values()) pipelines.set(served, pipelineOf(served, options.interceptors));
  return (request, response) => {
    const plain = recognize(request, options);
    const pipeline = plain && pipelines.get(plain.served);
    if (pipeline === undefined) general(request, response);
    else void serve(plain as PlainRequest, response, pipeline, options);
  };
}

/** Recognizes the plain case; returns undefined for all other requests. */
function recognize(request: NodeRequest, { methods, maxTimeoutMs }: PlainOptions): PlainRequest | undefined {
  const served = methods.get(request.url ?? "");
  if (served === undefined || request.method !== "POST") return undefined; // protects: plain-path
  if ("stream" in request) return grpc.recognize(request, served, maxTimeoutMs);
  return connect.recognize(request, served, maxTimeoutMs);
}

type NodeResponse = Parameters<NodeHandler>[1];

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

async function serve(plain: PlainRequest, response: NodeResponse, pipeline: Pipeline, options: PlainOptions) {
  const call = new PlainCall(plain, response);
  const { requestId } = call.received.correlation;
  const wire = plain.protocol === "grpc" ? grpc : connect;
  try {
    await receive(plain, call, options);
    if (call.isAborted) return;
    const { header, trailer } = await pipeline(call);
    const bytes = call.reply as Uint8Array;
    const accepts = call.header.get("grpc-accept-encoding");
    await wire.writeReply(response as never, requestId, { isBinary: plain.isBinary, header, trailer, bytes, accepts });
  } catch (thrown) {
    if (call.isAborted) return;
    const error =
      thrown instanceof ConnectError
        ? thrown
        : new ConnectError("internal error", Code.Internal, undefined, undefined, thrown);
    wire.writeError(response as never, requestId, error, options.jsonOptions);
  }
}

/** Admits the caller, then decodes its message. A refusal is kept for the interceptor that ends the call. */
async function receive(plain: PlainRequest, call: PlainCall, door: CallAdmission) {
  const { served, length = Number.POSITIVE_INFINITY } = plain;
  const early = length <= READ_EARLY_BYTES ? read(plain) : undefined;
  early?.catch(() => undefined); // read below, unless the caller is refused
  if (!(await admitCaller(door, call.header, call.values, served.rule))) return;
  const refuse = (error: unknown) => void call.values.set(refusalKey, { error });
  let bytes: Uint8Array;
  try {
    bytes = await (early ?? read(plain));
  } catch (error) {
    const refusal = messageRefusal(error, served.method.input);
    if (refusal === undefined) throw error; // gRPC's own errors
    return refuse(refusal);
  }
  if (!call.isBinary) call.values.set(sentJsonKey, bytes);
  try {
    call.message = served.serialization.getI(call.isBinary).parse(bytes);
  } catch (error) {
    refuse(messageRefusal(error, served.method.input) ?? error);
  }
}

const read = ({ request, served, length }: PlainRequest) =>
  length === undefined ? grpc.readMessage(request, served.limit) : connect.readMessage(request, length);

/** The largest message that is read while its caller is authenticated: it has usually arrived with the headers. */
const READ_EARLY_BYTES = 65_536;

/** A plain call. The interceptors receive it as the request, and the handler as its context. */
export class PlainCall implements UnaryRequest, HandlerContext {
  readonly stream = false;
  readonly requestMethod = "POST";
  readonly protocolName: PlainRequest["protocol"];
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

  constructor({ protocol, request, served, isBinary, timeoutMs }: PlainRequest, response: NodeResponse) {
    this.protocolName = protocol;
    this.received = receivedOf(request);
    const { at } = this.received;
    this.method = served.method;
    this.service = served.method.parent;
    this.url = `http://${"authority" in request ? request.authority : request.headers.host}${request.url}`;
    this.isBinary = isBinary;
    this.header = headersOf(request.headers);
    this.message = create(served.method.input);
    this.contextValues.set(receivedKey, this.received).set(takesEncodedKey, this.isBinary);
    this.#expiresAt = timeoutMs === undefined ? undefined : at + timeoutMs;
    const expire = () => this.#controller.abort(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    response.once("close", () => {
      clearTimeout(timer);
      if ("stream" in response ? response.writableEnded : response.writableFinished) return;
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
    if (name.startsWith(":")) continue;
    const value = received[name];
    if (typeof value === "string") headers.set(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
