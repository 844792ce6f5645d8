import { type DescMessage, fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import type { Random } from "@cloud/testkit/figures";
import { hostileJson, mutateBytes, randomBytesOf } from "../wire/hostile-values.ts";
import { generateMessage } from "./generate-message.ts";
import type { ServedRpc } from "./rpc-methods.ts";

export type Protocol = "connect" | "connect-stream" | "grpc" | "grpc-web";

/** A call as it is sent. */
export interface FuzzCall {
  readonly rpc: ServedRpc;
  readonly protocol: Protocol;
  readonly http2: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether no reader can take the body for one message of the type. */
  readonly broken: boolean;
  /** Whether a frame is flagged as compressed, in a call that declares no compression. */
  readonly flagged: boolean;
}

export interface CallSources {
  readonly random: Random;
  readonly rpcs: readonly [ServedRpc, ...ServedRpc[]];
  readonly tokens: readonly [string, ...string[]];
  readonly ids: readonly [string, ...string[]];
}

const UNARY: readonly [Protocol, ...Protocol[]] = ["connect", "connect", "grpc", "grpc", "grpc-web"];
const STREAMING: readonly [Protocol, ...Protocol[]] = ["connect-stream", "connect-stream", "grpc", "grpc-web"];

export function generateCall({ random, rpcs, tokens, ids }: CallSources): FuzzCall {
  const rpc = random.pick(rpcs);
  const isUnary = rpc.method.methodKind === "unary";
  // The wrong kind, too: that is refused by the content type.
  const protocol = random.pick(isUnary !== random.chance(5) ? UNARY : STREAMING);
  const isJson = random.chance(40);
  const http2 = protocol === "grpc" ? true : random.chance(30);
  const { message, decodes } = messageOf(rpc.method.input, isJson, random, ids);
  const framed = protocol === "connect" ? { body: message, whole: true, flags: 0 } : frame(message, random);
  const headers: Record<string, string> = { "content-type": contentTypeOf(protocol, isJson) };
  if (protocol === "grpc") headers["te"] = "trailers";
  if (protocol.startsWith("connect")) headers["connect-protocol-version"] = random.chance(95) ? "1" : "7";
  if (random.chance(75)) headers["authorization"] = "Bearer " + random.pick(tokens);
  else if (random.chance(50)) headers["authorization"] = "Bearer garbage";
  // A stream from the server ends with the deadline, if at all.
  const isEndless = rpc.method.methodKind === "server_streaming";
  if (isEndless) Object.assign(headers, SHORT);
  const isOdd = !isEndless && random.chance(15);
  if (isOdd) Object.assign(headers, random.pick(ODD_HEADERS));
  const isExact = isUnary && !isOdd;
  return {
    rpc,
    protocol,
    http2,
    headers,
    body: framed.body,
    broken: isExact && protocol !== "connect-stream" && framed.flags === 0 && !(decodes && framed.whole),
    flagged: (framed.flags & 1) === 1,
  };
}

function messageOf(desc: DescMessage, isJson: boolean, random: Random, ids: CallSources["ids"]) {
  const right = generateMessage(desc, random, ids);
  let message: Buffer;
  if (random.chance(10)) message = randomBytesOf(random, random.between(0, 200));
  else if (isJson && random.chance(30)) message = Buffer.from(JSON.stringify(hostileJson(random)));
  else message = Buffer.from(isJson ? JSON.stringify(toJson(desc, right)) : toBinary(desc, right));
  if (random.chance(60)) message = mutateBytes(random, message);
  return { message, decodes: decodes(desc, message, isJson) };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decodes(desc: DescMessage, message: Buffer, isJson: boolean): boolean {
  try {
    if (isJson) {
      fromJson(desc, JSON.parse(UTF8.decode(message)) as JsonValue, { ignoreUnknownFields: true });
    } else fromBinary(desc, message);
    return true;
  } catch {
    return false;
  }
}

/** Puts a message in an envelope of gRPC and Connect, which may lie about its length, be repeated, or be absent. */
function frame(message: Buffer, random: Random): { body: Buffer; whole: boolean; flags: number } {
  const flags = random.chance(85) ? 0 : random.pick([1, 2, 3, 0x80, 0xff]);
  const kind = random.between(0, 99);
  if (kind < 75) return { body: envelope(flags, message.length, message), whole: true, flags };
  if (kind < 85) {
    const lie = random.pick([0, 1, message.length + 1, 0x7fffffff, 0xffffffff]);
    return { body: envelope(flags, lie, message), whole: lie === message.length, flags };
  }
  if (kind < 90) return { body: message.subarray(0, 4), whole: false, flags };
  if (kind < 95) {
    const one = envelope(flags, message.length, message);
    return { body: Buffer.concat([one, one]), whole: false, flags };
  }
  return { body: Buffer.alloc(0), whole: false, flags };
}

function envelope(flags: number, length: number, message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

function contentTypeOf(protocol: Protocol, isJson: boolean): string {
  const codec = isJson ? "json" : "proto";
  switch (protocol) {
    case "connect":
      return "application/" + codec;
    case "connect-stream":
      return "application/connect+" + codec;
    default:
      return "application/" + protocol + "+" + codec;
  }
}

const SHORT = { "connect-timeout-ms": "50", "grpc-timeout": "50m" };

const ODD_HEADERS: readonly [Record<string, string>, ...Record<string, string>[]] = [
  { "content-type": "application/grpc-web-text" },
  { "content-type": "application/grpc+xml" },
  { "content-type": "application/octet-stream" },
  { "content-type": "text/html" },
  { "content-encoding": "gzip" },
  { "content-encoding": "br" },
  { "content-encoding": "none" },
  { "grpc-encoding": "gzip" },
  { "grpc-encoding": "lzma" },
  { "connect-content-encoding": "gzip" },
  { "connect-timeout-ms": "-1" },
  { "connect-timeout-ms": "1e9" },
  { "connect-timeout-ms": "99999999999999" },
  { "grpc-timeout": "20S" },
  { "grpc-timeout": "abc" },
  { "grpc-timeout": "999999999999H" },
  { traceparent: "00-zz" },
  { "service-current-orgid": "%00" },
];
