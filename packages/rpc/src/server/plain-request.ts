import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { DescMethodUnary, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { type AccessRule, accessRuleOf } from "@cloud/access";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { createMethodSerializationLookup } from "@connectrpc/connect/protocol";
import { requestLimitOf } from "../message-limits.ts";

/** A request of the plain case, whose message is still to be read. */
export interface PlainRequest {
  readonly served: PlainMethod;
  readonly request: IncomingMessage;
  /** Protobuf; JSON otherwise. */
  readonly isBinary: boolean;
  /** Bytes of the message. */
  readonly length: number;
  /** The deadline; undefined for a call without one. */
  readonly timeoutMs: number | undefined;
}

/** An RPC that the plain path serves. */
export interface PlainMethod {
  readonly method: DescMethodUnary;
  readonly rule: AccessRule;
  readonly handle: (request: unknown, context: HandlerContext) => unknown;
  /** The largest request in bytes. */
  readonly limit: number;
  /** Decodes and encodes messages; throws the library's errors. */
  readonly serialization: ReturnType<typeof createMethodSerializationLookup>;
}

/**
 * Recognizes the plain case: Connect unary with a message of a given length, over HTTP/1.1, uncompressed. Returns
 * undefined for all other requests.
 */
export function recognizePlain(
  request: IncomingMessage | Http2ServerRequest,
  methods: ReadonlyMap<string, PlainMethod>,
  maxTimeoutMs: number,
): PlainRequest | undefined {
  if ("stream" in request || request.method !== "POST" || request.httpVersion !== "1.1") return undefined;
  const served = methods.get(request.url ?? "");
  const { headers } = request;
  const isBinary = headers["content-type"] === "application/proto";
  if (!isBinary && headers["content-type"] !== "application/json") return undefined;
  if (served === undefined) return undefined; // protects: plain-path
  if (SPECIAL.some((name) => headers[name] !== undefined)) return undefined;
  const length = Number(headers["content-length"]);
  if (!(length <= served.limit)) return undefined; // absent ones too
  const deadline = headers["connect-timeout-ms"];
  const timeoutMs = deadline === undefined ? undefined : Number(deadline);
  if (timeoutMs !== undefined && !(isTimeout(deadline) && timeoutMs <= maxTimeoutMs)) return undefined;
  return { served, request, isBinary, length, timeoutMs };
}

/** Header names whose presence requires a feature that the plain path lacks. */
const SPECIAL = ["content-encoding", "accept-encoding", "transfer-encoding", "expect", "upgrade"];

const isTimeout = (value: unknown) => typeof value === "string" && /^[1-9][0-9]{0,9}$/.test(value);

/**
 * Reads a body of `length` bytes, which Node does not exceed. @throws ConnectError ABORTED if the connection ends
 * before
 */
export function readMessage(request: IncomingMessage, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    const complete = () => {
      request.off("error", onDisconnect).off("close", onDisconnect);
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const onDisconnect = () => reject(new ConnectError("the caller left while its message was read", Code.Aborted));
    request.once("end", complete).once("error", onDisconnect).once("close", onDisconnect);
  });
}

/**
 * Returns a router that adds the unary RPCs of each service to `methods`, by their paths, and gives each RPC its own
 * limit of the request. The library takes one limit per service, so a service is registered once per limit, and the
 * handlers with the limit of another RPC are removed.
 */
export function collectMethods(
  router: ConnectRouter,
  methods: Map<string, PlainMethod>,
  jsonOptions: Partial<JsonReadOptions & JsonWriteOptions>,
): ConnectRouter {
  const { handlers } = router;
  const collecting: ConnectRouter = {
    ...router,
    service: (service, implementation, options) => {
      const handles = implementation as Readonly<Record<string, unknown>>;
      for (const method of service.methods) {
        const handle = handles[method.localName];
        if (method.methodKind !== "unary" || typeof handle !== "function") continue;
        const limits = { readMaxBytes: requestLimitOf(method), writeMaxBytes: Number.POSITIVE_INFINITY };
        methods.set(`/${service.typeName}/${method.name}`, {
          method: method as DescMethodUnary,
          rule: accessRuleOf(method),
          handle: handle.bind(handles) as PlainMethod["handle"],
          limit: limits.readMaxBytes,
          serialization: createMethodSerializationLookup(method, undefined, jsonOptions, limits),
        });
      }
      for (const readMaxBytes of new Set(service.methods.map(requestLimitOf))) {
        const before = handlers.length;
        router.service(service, implementation, { ...options, readMaxBytes });
        handlers.push(...handlers.splice(before).filter(({ method }) => requestLimitOf(method) === readMaxBytes));
      }
      return collecting;
    },
  };
  return collecting;
}
