import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { codeOf, fail, reasonOf } from "@cloud/access/errors";
import { CALLER_ID_HEADER } from "@cloud/access/principal";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  addCorrelation,
  type Correlation,
  correlate,
  currentCorrelation,
  type Telemetry,
  type Tracing,
} from "@cloud/runtime/telemetry";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { createCallDurations, OK } from "../follow-calls.ts";
import { faultOfThisProgram } from "../server/message-refusal.ts";
import type { TlsFiles } from "../tls.ts";
import { NotProcessedError, wasNotProcessed } from "./connect-in-time.ts";
import type { HttpCall, HttpReply } from "./peer-connections.ts";
import { PeerConnections } from "./peer-connections.ts";
import { createServerStreams } from "./server-streams.ts";

export interface ServiceTransport extends Transport {
  readonly unaryBinary: UnaryBinary;
  /** Closes the connections and fails the calls in flight. */
  close(): void;
}

export interface ServiceTransportOptions {
  readonly url: string;
  /** The bearer token of a call that has no Authorization of its own. */
  readonly serviceToken?: string;
  /** Maximum duration of a call in milliseconds; 5,000 if absent. */
  readonly deadlineMs?: number;
  /**
   * Milliseconds for which the peer may send nothing while it owes a reply, before the call fails as UNAVAILABLE; 0.8
   * of the deadline if absent: 4 s of 5. With 2.5 s, a peer that was only busy counted as gone.
   */
  readonly silentMs?: number;
  /** For https: the authorities that verify the peer (Node's if absent), and the certificate of this client. */
  readonly tls?: TlsFiles | undefined;
  /** Makes each call a span; off if absent. */
  readonly tracing?: Tracing | undefined;
  /** Measures each unary call under the name of the peer; off if absent. */
  readonly measured?: { readonly peer: string; readonly metrics: Telemetry["metrics"] } | undefined;
}

/** Calls a method with the encoded request, and returns the encoded reply with its headers. */
type UnaryBinary = (
  method: DescMethodUnary,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  headers: CallHeaders,
  message: Uint8Array,
) => Promise<BinaryReply>;

type CallHeaders = Parameters<Transport["unary"]>[3];

/** The encoded message of a reply, and the headers by their names in lower case. */
export interface BinaryReply {
  readonly message: Uint8Array;
  readonly headers: IncomingHttpHeaders;
}

interface UnaryCallOptions {
  readonly request: Parameters<PeerConnections["begin"]>[0];
  /** Ends the call when its caller has left. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds of the whole call, retries included; without limit if not positive. */
  readonly timeoutMs: number;
}

/** Makes a call, with retries. @throws ConnectError */
async function callUnary(connections: PeerConnections, options: UnaryCallOptions): Promise<BinaryReply> {
  const { request, signal, timeoutMs } = options;
  let current: HttpCall | undefined;
  let ended: ConnectError | undefined;
  const end = (error: ConnectError) => {
    ended = error;
    current?.end(error);
  };
  const assertOpen = () => {
    if (ended !== undefined) throw ended;
  };
  const onAbort = () => end(new ConnectError("This operation was aborted", Code.Canceled));
  const expire = () => end(new ConnectError("the operation timed out", Code.DeadlineExceeded));
  const exchange = async () => {
    current = connections.begin(request);
    return readReply(await current.reply);
  };

  if (signal?.aborted) onAbort();
  assertOpen();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
  try {
    return await retryUnprocessed(exchange, assertOpen);
  } catch (error) {
    throw callError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Returns the message in a reply, still encoded. @throws NotProcessedError when the server closes the connection
 * instead, ConnectError with the error of the reply, or with one for its status when no RPC server has sent it
 */
function readReply({ status, headers, body }: HttpReply): BinaryReply {
  const contentType = headers["content-type"] ?? "";
  if (status === 200 && contentType === "application/proto") return { message: body, headers };
  if (status === 408) throw new NotProcessedError("the server was closing the connection");
  const unexpected = new ConnectError(`HTTP ${status} ${contentType}`, codeFromHttpStatus(status));
  const caller = headers[CALLER_ID_HEADER];
  const metadata = typeof caller === "string" ? { [CALLER_ID_HEADER]: caller } : undefined;
  throw contentType === "application/json" ? errorFromJsonBytes(body, metadata, unexpected) : unexpected;
}

/** Returns the error that a caller receives for what ended its call. */
function callError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return faultOfThisProgram(error) ?? error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return fail(Reason.ANSWER_TOO_LARGE, {}, error);
  // The connection could not be made, or it broke.
  return new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}

/**
 * Milliseconds before each retry. The first retry is immediate: the next connection usually reaches another replica.
 * Together they stay below 0.2 s, so that an unreachable peer is reported soon.
 */
const PAUSES_MS = [0, 10, 30, 90];

/**
 * Repeats an exchange that no server has processed, whatever the method: no connection was made, or the server was
 * closing the connection and said so. A call that may have been processed fails. `assertOpen` throws once the deadline
 * has passed or the caller has left.
 */
async function retryUnprocessed<T>(exchange: () => Promise<T>, assertOpen: () => void): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await exchange();
    } catch (error) {
      if (!wasNotProcessed(error)) throw error;
    }
    if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()), undefined, { ref: false });
    assertOpen();
  }
  return await exchange();
}

/**
 * Creates a transport to a peer: Connect unary with Protobuf messages, over kept HTTP/1.1 connections, with TLS if the
 * URL is https. An unreachable peer is UNAVAILABLE immediately, a silent one after `silentMs`, and a replica shutting
 * down is invisible to callers (the call is retried). Server streams have connections of their own. Each call carries
 * the id and the trace of the request that it is made for. A call costs a third of the library's gRPC over HTTP/2
 * (docs/adr/0014).
 */
// protects: rpc-client
export function createServiceTransport(options: ServiceTransportOptions): ServiceTransport {
  // protects: peer-deadline
  const { url, serviceToken, deadlineMs = 5_000, silentMs = 0.8 * deadlineMs, tls, tracing } = options;
  const durations =
    options.measured &&
    createCallDurations({
      name: "rpc_client_call_duration_seconds",
      help: "How long calls to peers took, repetitions included.",
      registry: options.measured.metrics,
      labels: { server_address: options.measured.peer },
    });
  const connections = new PeerConnections(url, tls, silentMs, options.measured);
  const unaryBinary: UnaryBinary = async (method, signal, timeoutMs = deadlineMs, headers, message) => {
    const name = `${method.parent.typeName}/${method.name}`;
    const send = (correlation: Correlation | undefined) => {
      const list = headerListOf(headers, serviceToken, timeoutMs);
      addCorrelation(correlation, (name, value) => list.push(name, value));
      return callUnary(connections, { request: { path: `/${name}`, headers: list, body: message }, signal, timeoutMs });
    };
    const correlation = currentCorrelation();
    const since = performance.now();
    try {
      const reply = await (tracing === undefined ? send(correlation) : inClientSpan(tracing, name, correlation, send));
      durations?.end(method, OK, since);
      return reply;
    } catch (error) {
      durations?.end(method, ConnectError.from(error).code, since);
      throw error;
    }
  };
  return {
    unaryBinary,
    unary: async (method, signal, timeoutMs, headers, message) => {
      const bytes = toBinary(method.input, create(method.input, message));
      const { message: reply } = await unaryBinary(method, signal, timeoutMs, headers, bytes);
      noMetadata ??= new Headers();
      const metadata = { header: noMetadata, trailer: noMetadata };
      return { stream: false, service: method.parent, method, ...metadata, message: decode(method, reply) };
    },
    stream: createServerStreams(new URL(url), serviceToken, tls),
    close: () => connections.close(),
  };
}

/**
 * The headers and trailers of every reply: no program of this system reads them. Created by the first, because it loads
 * Node's fetch, 25 ms that the start of the gateway does without.
 */
let noMetadata: Headers | undefined;

function headerListOf(headers: CallHeaders, serviceToken: string | undefined, timeoutMs: number): string[] {
  const list = ["content-type", "application/proto", "connect-protocol-version", "1"];
  if (timeoutMs > 0) list.push("connect-timeout-ms", String(Math.ceil(timeoutMs)));
  let isAuthorized = serviceToken === undefined;
  for (const [name, value] of entriesOf(headers)) {
    list.push(name, value);
    isAuthorized ||= name.toLowerCase() === "authorization";
  }
  if (!isAuthorized) list.push("authorization", `Bearer ${serviceToken}`);
  return list;
}

async function inClientSpan<T>(
  tracing: Tracing,
  name: string,
  parent: Correlation | undefined,
  send: (correlation: Correlation) => Promise<T>,
): Promise<T> {
  const span = tracing.start(name, "client", parent, { "rpc.system": "connect_rpc" });
  try {
    const reply = await correlate(span.correlation, () => send(span.correlation));
    span.end();
    return reply;
  } catch (error) {
    const code = codeOf(reasonOf(error));
    span.end({ "cloud.code": code }, code);
    throw error;
  }
}

function entriesOf(headers: CallHeaders = []): Iterable<readonly [string, string]> {
  if (Array.isArray(headers) || headers instanceof Headers) return headers as Iterable<[string, string]>;
  return Object.entries(headers as Record<string, string>);
}

function decode<O extends DescMessage>(method: DescMethodUnary<DescMessage, O>, bytes: Uint8Array): MessageShape<O> {
  try {
    return fromBinary(method.output, bytes);
  } catch (error) {
    throw fail(Reason.INTERNAL, {}, error);
  }
}
