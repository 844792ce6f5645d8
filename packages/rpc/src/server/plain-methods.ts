import type { DescMethodUnary, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { type AccessRule, accessRuleOf } from "@cloud/access";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { createMethodSerializationLookup } from "@connectrpc/connect/protocol";
import type { NodeRequest } from "../follow-calls.ts";
import { requestLimitOf } from "../message-limits.ts";

/** A request of the plain case, whose message is still to be read. */
export interface PlainRequest {
  readonly protocol: "connect" | "grpc";
  readonly served: PlainMethod;
  readonly request: NodeRequest;
  /** Protobuf; JSON otherwise. */
  readonly isBinary: boolean;
  /** Bytes of the message, by Connect; by gRPC a message declares its length itself. */
  readonly length: number | undefined;
  /** The deadline; undefined for a call without one. */
  readonly timeoutMs: number | undefined;
}

/** A reply as its protocol is to write it. */
export interface PlainReply {
  readonly isBinary: boolean;
  readonly header: Headers;
  readonly trailer: Headers;
  /** The encoded message. */
  readonly bytes: Uint8Array;
  /** The compressions of gRPC that the caller accepts. */
  readonly accepts: string | null;
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
