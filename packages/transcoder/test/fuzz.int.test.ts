import { type Message, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { bindRequest } from "../src/binding/bind-request.ts";
import type { BindingOptions } from "../src/binding/binding-options.ts";
import { locateViolations } from "../src/errors/locate-violations.ts";
import { renderError } from "../src/errors/render-error.ts";
import { TranscodingError } from "../src/errors/transcoding-error.ts";
import { parseJson } from "../src/json-in/parse-json.ts";
import { cutTarget } from "../src/matching/request-target.ts";
import { createRouteTable } from "../src/matching/route-table.ts";
import type { FieldPath, Route } from "../src/rules/route.ts";
import { declaredRoutes } from "./library.ts";

const REQUESTS = 50_000;

const table = createRouteTable(declaredRoutes());

interface Fuzzed {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
  readonly options: BindingOptions;
}

const odd = fc.constantFrom(
  "%",
  "%zz",
  "%ff",
  "%2F",
  "%2e",
  "..",
  ".",
  "",
  "*",
  ":",
  ":move",
  "{name}",
  "é",
  "\0",
  "%00",
  "+",
);
const segment = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("a", "b", "shelves", "books") }, odd);
const path = fc.oneof(
  fc.tuple(segment, segment).map(([a, b]) => `/v1/shelves/${a}/books/${b}`),
  segment.map((a) => `/v1/shelves/${a}/books`),
  fc.tuple(segment, segment).map(([a, b]) => `/v1/shelves/${a}/books/${b}:move`),
  segment.map((a) => `/v1/search/${a}`),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/files/${parts.join("/")}`),
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
);
const name = fc.constantFrom(
  "name",
  "parent",
  "path",
  "book.name",
  "book[name]",
  "book",
  "criteria",
  "criteria.author",
  "criteria.inner.author",
  "shelf",
  "place.code",
  "room",
  "count",
  "sinceId",
  "after",
  "extra",
  "labels[a]",
  "labels[__proto__]",
  "shelves[__proto__].author",
  "flags[1]",
  "constructor",
  "__proto__",
  "a[b",
  "update_mask",
);
const value = fc.oneof(
  odd,
  fc.constantFrom("a", "1", "-1", "{}", "[]", "null", "true", '{"author":"x"}', "1e999", '"', "{"),
);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
const key = fc.constantFrom(
  "name",
  "book",
  "title",
  "authors",
  "labels",
  "pages",
  "publisher",
  "shelf",
  "place",
  "code",
  "room",
  "x",
  "__proto__",
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, "", "a", "\ud800", 0, -1, 1.5, 2 ** 60, true, []),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
  ),
}));
const body = fc.oneof(
  fc.constant(undefined),
  tree.map((json) => JSON.stringify(json)),
  fc
    .tuple(tree, fc.nat(40), fc.constantFrom("", '"', "}", "\\", "1e9", "9007199254740993", "\n"))
    .map(([json, at, text]) => {
      const whole = JSON.stringify(json);
      return whole.slice(0, at) + text + whole.slice(at);
    }),
);
const lenient: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  parameterNames: "any-case",
  largeIntegers: "nearest",
  loneSurrogates: "replace",
};
const fuzzed: fc.Arbitrary<Fuzzed> = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "PATCH", "HEAD", "OPTIONS"),
  target: fc.tuple(path, query).map((parts) => parts.join("?")),
  body,
  options: fc.constantFrom<BindingOptions>({}, lenient),
});

/** Does with a request what the listener does until it calls the RPC; returns what its path did not bind. */
function findOverride({ method, target, body: sent, options }: Fuzzed, bind = bindRequest): string | undefined {
  let route: Route | undefined;
  const cut = cutTarget(target);
  const bytes = Buffer.from(sent ?? "");
  try {
    const match = table.match(method, cut);
    route = match.route;
    const json = sent === undefined || route.body === "none" ? undefined : parseJson(bytes);
    const message = bind(route, { values: match.values, query: cut.query, body: json }, options);
    toBinary(route.method.input, message);
    const wrong = route.variables.findIndex((fields, index) => valueAt(message, fields) !== match.values[index]);
    return wrong < 0 ? undefined : route.template.variables[wrong]?.name;
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    const { status } = renderError(route === undefined ? error : locateViolations(error, bytes, route), undefined);
    expect(Math.floor(status / 100)).toBe(4);
    return undefined;
  }
}

function valueAt(message: Message, fields: FieldPath): unknown {
  return fields.reduce<unknown>((at, { oneof, localName }) => {
    if (at === undefined) return undefined;
    const value = Reflect.get(at as object, oneof?.localName ?? localName);
    return oneof === undefined ? value : value?.value;
  }, message);
}

test("no request overrides its path, or fails otherwise than as a mistake of its client", () => {
  let bound = 0;
  const count: typeof bindRequest = (...request) => {
    const message = bindRequest(...request);
    bound++;
    return message;
  };
  fc.assert(
    fc.property(fuzzed, (request) => {
      expect(findOverride(request, count)).toBeUndefined();
    }),
    { numRuns: REQUESTS },
  );
  // Enough of them get as far as a message.
  expect(bound).toBeGreaterThan(REQUESTS / 10);
  expect(Object.keys(Object.prototype)).toEqual([]);
}, 300_000);

test("control: a path that is not bound is found", () => {
  const unbound: typeof bindRequest = (route, parts, options) =>
    bindRequest({ ...route, variables: [] }, parts, options);
  const found = fc.sample(fuzzed, 1_000).filter((request) => findOverride(request, unbound) !== undefined);
  expect(found.length).toBeGreaterThan(10);
});
