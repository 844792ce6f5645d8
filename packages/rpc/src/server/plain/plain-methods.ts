import type { DescMethodUnary, DescService, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { type AccessRule, accessRuleOf } from "@cloud/contract";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { createMethodSerializationLookup } from "@connectrpc/connect/protocol";
import { MAX_ANSWER_BYTES, requestLimitOf } from "../../message-limits.ts";

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

export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>;

/** Returns a router that adds the unary RPCs of each service to `methods`, by their paths, and registers them. */
export function collectMethods(
  router: ConnectRouter,
  methods: Map<string, PlainMethod>,
  jsonOptions: JsonOptions,
): ConnectRouter {
  const collecting: ConnectRouter = {
    ...router,
    service: (service, implementation, options) => {
      const handlers = implementation as Readonly<Record<string, unknown>>;
      for (const [path, method] of methodsOf(service, handlers, jsonOptions)) methods.set(path, method);
      router.service(service, implementation, options);
      return collecting;
    },
  };
  return collecting;
}

function* methodsOf(
  service: DescService,
  handlers: Readonly<Record<string, unknown>>,
  jsonOptions: JsonOptions,
): Generator<[path: string, method: PlainMethod]> {
  for (const method of service.methods) {
    const handle = handlers[method.localName];
    if (method.methodKind !== "unary" || typeof handle !== "function") continue;
    const limits = { readMaxBytes: requestLimitOf(method), writeMaxBytes: MAX_ANSWER_BYTES };
    const served = {
      method: method as DescMethodUnary,
      rule: accessRuleOf(method),
      handle: handle.bind(handlers) as PlainMethod["handle"],
      limit: limits.readMaxBytes,
      serialization: createMethodSerializationLookup(method, undefined, jsonOptions, limits),
    };
    yield [`/${service.typeName}/${method.name}`, served];
  }
}
