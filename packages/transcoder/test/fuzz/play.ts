import { Readable } from "node:stream";
import { create, type Message, toBinary } from "@bufbuild/protobuf";
import type { FieldPath } from "../../src/binding/place.ts";
import type { BindingOptions } from "../../src/binding/reading.ts";
import { createServing, type Serving } from "../../src/create-transcoder.ts";
import type { HttpRequest } from "../../src/http/messages.ts";
import { createRouteTable } from "../../src/matching/route-table.ts";
import { cutTarget } from "../../src/serving/serve.ts";
import { BookSchema } from "../gen/library/v1/library_pb.ts";
import { libraryOptions } from "../serve-library.ts";
import type { Fuzzed } from "./requests.ts";

const LENIENT: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  unboundBody: "ignore",
  parameterNames: "any-case",
  nearestIntegers: () => true,
  structIntegers: "exact",
};

/** The end of a request. */
export interface Outcome {
  readonly status: number;
  /** Whether its RPC was called. */
  readonly isBound: boolean;
  /** The variable whose field has another value than the path; undefined if none. */
  readonly override: string | undefined;
}

export type Play = (request: Fuzzed) => Promise<Outcome>;

/**
 * Creates a function that does with a request all that a listener does; `spoil` changes the message that is called
 * with.
 */
export function createPlay(spoil: (message: Message) => void = () => {}): Play {
  const strict = createServing(optionsOf({}, spoil));
  const lenient = createServing(optionsOf(LENIENT, spoil));
  return async (fuzzed) => await play(fuzzed.isLenient ? lenient : strict, fuzzed);
}

/** The finding of the hook for each request that has been bound. */
const bound = new WeakMap<HttpRequest, string | undefined>();

function optionsOf(binding: BindingOptions, spoil: (message: Message) => void) {
  const options = libraryOptions(async ({ method }) => ({
    ...(method === "WatchBooks" && { messages: books() }),
    headers: { etag: '"1"' },
  }));
  return {
    ...options,
    binding,
    cors: { origins: ["https://a.example"] },
    hooks: {
      bound(
        { request, route }: { request: HttpRequest; route: Serving["routes"][number] | undefined },
        message: Message,
      ) {
        spoil(message);
        if (route === undefined) throw new Error("bound without a route");
        toBinary(route.method.input, message);
        const { values } = createRouteTable([route]).match(route.httpMethod, cutTarget(request.url ?? ""));
        const wrong = route.variables.findIndex((fields, index) => valueAt(message, fields) !== values[index]);
        bound.set(request, wrong < 0 ? undefined : route.template.variables[wrong]?.name);
        return undefined;
      },
    },
  };
}

async function* books() {
  yield create(BookSchema, { title: "a" });
}

async function play({ serve }: Serving, { method, target, headers, body }: Fuzzed): Promise<Outcome> {
  const stream = Readable.from(body === undefined ? [] : [body]);
  const length = body === undefined ? {} : { "transfer-encoding": "chunked" };
  const request: HttpRequest = Object.assign(stream, {
    method,
    url: target,
    headers: { ...length, ...headers },
    complete: false,
  });
  const served = serve(request);
  const response = await served.response;
  const stops = response?.stream;
  for (let part = await stops?.next(); typeof part === "object"; part = await stops?.next());
  const status = response?.status ?? 499;
  served.end(status, true);
  return { status, isBound: bound.has(request), override: bound.get(request) };
}

function valueAt(message: Message, fields: FieldPath): unknown {
  return fields.reduce<unknown>((at, { oneof, localName }) => {
    if (at === undefined) return undefined;
    const value = Reflect.get(at as object, oneof?.localName ?? localName);
    return oneof === undefined ? value : value?.value;
  }, message);
}
