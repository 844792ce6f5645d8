import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { codeOf, fail, reasonOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Correlation, correlate, currentCorrelation, type Telemetry, type Tracing } from "@cloud/telemetry";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createPeerDurations, OK } from "../call-durations.ts";
import { MAX_ANSWER_BYTES } from "../message-limits.ts";
import type { TlsFiles } from "../tls/tls-files.ts";
import { addCorrelation } from "./add-correlation.ts";
import { PeerConnections } from "./peer-connections.ts";
import { createServerStreams } from "./server-streams.ts";
import { type BinaryReply, callUnary } from "./unary-call.ts";

export interface ServiceTransportOptions {
  readonly url: string;
  /** Sent as bearer token if the call has no Authorization of its own. */
  readonly serviceToken?: string;
  /** Maximum duration of a call in milliseconds; 5,000 if absent. */
  readonly deadlineMs?: number;
  /**
   * Milliseconds for which the peer may send nothing while it owes a reply, before the call fails as UNAVAILABLE; 0.8 of the
   * deadline if absent: 4 s of 5. With 2.5 s, a peer that was only busy counted as gone.
   */
  readonly silentMs?: number;
  /** For https: the authorities by which the peer is verified, those of Node if absent; and the client's certificate. */
  readonly tls?: TlsFiles | undefined;
  /** Each call is a span; off if absent. */
  readonly tracing?: Tracing | undefined;
  /** Each unary call is measured under the name of the peer; not if absent. */
  readonly measured?: { readonly peer: string; readonly metrics: Telemetry["metrics"] } | undefined;
}

type CallHeaders = Parameters<Transport["unary"]>[3];

/** Calls a method with the bytes of its request, and returns those of its reply, with its headers. */
export type UnaryBinary = (
  method: DescMethodUnary,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  headers: CallHeaders,
  message: Uint8Array,
) => Promise<BinaryReply>;

export interface ServiceTransport extends Transport {
  readonly unaryBinary: UnaryBinary;
  /** Closes its connections and fails the calls in flight. */
  close(): void;
}

/**
 * Creates a transport to a peer: Connect unary with Protobuf messages, over kept HTTP/1.1 connections, with TLS if the
 * URL is https. An unreachable peer is UNAVAILABLE immediately, a silent one after `silentMs`, and a replica shutting down is
 * invisible to callers (the call is retried). Server streams have connections of their own. Each call carries the id and
 * the trace of the request that it is made for.
 *
 * It costs a third of the library's gRPC over HTTP/2 (docs/adr/0014).
 */
// protects: rpc-client
export function createServiceTransport(options: ServiceTransportOptions): ServiceTransport {
  // protects: peer-deadline
  const { url, serviceToken, deadlineMs = 5_000, silentMs = 0.8 * deadlineMs, tls, tracing } = options;
  const durations = options.measured && createPeerDurations(options.measured.metrics, options.measured.peer);
  const connections = new PeerConnections(url, tls, silentMs);
  const unaryBinary: UnaryBinary = async (method, signal, timeoutMs = deadlineMs, headers, message) => {
    if (message.byteLength > MAX_ANSWER_BYTES) throw fail(Reason.UNAVAILABLE, {}, tooLarge());
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
      const [header, trailer] = [NO_METADATA, NO_METADATA];
      return { stream: false, service: method.parent, method, header, trailer, message: decode(method, reply) };
    },
    stream: createServerStreams(new URL(url), serviceToken, tls),
    close: () => connections.close(),
  };
}

/** The programs of this system read nothing in the metadata of a reply. */
const NO_METADATA = new Headers();

const tooLarge = () => new ConnectError("the request is larger than 16 MiB", Code.ResourceExhausted);

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
