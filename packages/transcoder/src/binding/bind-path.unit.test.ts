import { type DescMethodUnary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import type { HttpRule } from "../rules/http-rules.ts";
import type { Route } from "../rules/route.ts";
import { bindRequest } from "./bind-request.ts";
import type { BindingOptions } from "./reading.ts";

interface Sent {
  readonly values: readonly string[];
  readonly query?: string;
  readonly body?: JsonValue;
}

/** Binds a request to a rule of one of the example's methods. */
function bind(method: string, rule: HttpRule, { values, query = "", body }: Sent, options?: BindingOptions): JsonValue {
  const [route] = libraryRoutes({ [method]: rule }) as [Route];
  const message = bindRequest(route, { values, query, body }, options);
  return toJson((route.method as DescMethodUnary).input, message);
}

const update = ruleFor("PATCH /{book.name}", { body: "book" });
const search = ruleFor("GET /{criteria.author}/{since_id}/{format}/{cursor}/{zip}/{exact}");
const move = ruleFor("POST /{name}/{place.code}", { body: "*" });
const create = ruleFor("POST /{parent}", { body: "book" });

const searchWith = (query: string): Sent => ({ values: ["a", "5", "FORMAT_AUDIO", "-_8", "7", "true"], query });
const moveWith = (body: JsonValue): Sent => ({ values: ["n", "c"], body });
const updateWith = (body: JsonValue, query = ""): Sent => ({ values: ["n"], body, query });

describe("a value that differs from that in the path is refused", () => {
  test.each<[method: string, HttpRule, Sent, message: string]>([
    ["Search", search, searchWith("criteria.author=b"), "criteria.author must be as in the path, or left out"],
    ["Search", search, searchWith("criteria[author]="), "criteria.author must be as in the path, or left out"],
    ["Search", search, searchWith('criteria={"author":"b"}'), "criteria.author must be as in the path, or left out"],
    ["Search", search, searchWith("sinceId=6"), "sinceId must be as in the path, or left out"],
    ["Search", search, searchWith("since_id=0"), "sinceId must be as in the path, or left out"],
    ["Search", search, searchWith("format=1"), "format must be as in the path, or left out"],
    ["Search", search, searchWith("cursor=YQ=="), "cursor must be as in the path, or left out"],
    ["Search", search, searchWith("exact=false"), "exact must be as in the path, or left out"],
    ["Search", search, searchWith("exact=no"), "exact must be true or false"],
    ["Search", search, searchWith("city=a"), "city must be left out where the path has zip"],
    ["Search", search, searchWith("spot.code=a"), "spot must be left out where the path has zip"],
    ["Search", search, searchWith("spot={}"), "spot must be left out where the path has zip"],
    ["MoveBook", move, moveWith({ name: "m" }), "name must be as in the path, or left out"],
    ["MoveBook", move, moveWith({ name: "" }), "name must be as in the path, or left out"],
    ["MoveBook", move, moveWith({ name: 5 }), "name must be a string"],
    ["MoveBook", move, moveWith({ place: { code: "d" } }), "place.code must be as in the path, or left out"],
    ["MoveBook", move, moveWith({ place: { number: 1 } }), "place.number must be left out where the path has code"],
    ["MoveBook", move, moveWith({ shelf: "a" }), "shelf must be left out where the path has place"],
    ["MoveBook", move, moveWith({ room: 0 }), "room must be left out where the path has place"],
    ["UpdateBook", update, updateWith({ name: "m" }), "book.name must be as in the path, or left out"],
    ["UpdateBook", update, updateWith({ name: ["n"] }), "book.name must be a string"],
    ["UpdateBook", update, updateWith({}, "book.name=m"), "book.name must be as in the path, or left out"],
    ["UpdateBook", update, updateWith({ name: "n" }, "book.name=n"), "book.name must be given once"],
    ["UpdateBook", update, updateWith({}, "book.title=a"), "book.title must be in the body"],
    ["UpdateBook", update, updateWith({}, "book={}"), "book must be in the body"],
    [
      "CreateBook",
      create,
      { values: ["p"], body: {}, query: "parent=q" },
      "parent must be as in the path, or left out",
    ],
    ["MoveBook", move, { values: ["n", "c"], query: "shelf=a" }, "shelf must be in the body"],
    ["MoveBook", move, { values: ["n", "c"], query: "nmae=a" }, "nmae is unknown: did you mean name?"],
  ])("%s %j %j", (method, rule, sent, message) => {
    expect(() => bind(method, rule, sent)).toThrow(new Error(message));
  });
});

describe("the same value is accepted, in any spelling", () => {
  test.each<[method: string, HttpRule, Sent]>([
    ["Search", search, searchWith("criteria.author=a&since_id=05&format=2&cursor=%2B/8=&zip=7&exact=true")],
    ["Search", search, searchWith('criteria={"author":"a"}&format=FORMAT_AUDIO&cursor=-_8')],
    ["MoveBook", move, moveWith({ name: "n", place: { code: "c" } })],
    ["MoveBook", move, moveWith({ name: null, place: null })],
    ["MoveBook", move, { values: ["n", "c"], query: "name=n" }],
    ["UpdateBook", update, updateWith({ name: "n" })],
    ["UpdateBook", update, updateWith({}, "book.name=n")],
    ["CreateBook", create, { values: ["p"], body: {}, query: "parent=p" }],
  ])("%s %j %j", (method, rule, sent) => {
    const alone = bind(method, rule, { values: sent.values, ...(rule.body === "book" ? { body: {} } : {}) });
    expect(bind(method, rule, sent)).toEqual(alone);
  });
});

describe("a value of a path is refused", () => {
  test.each<[method: string, HttpRule, values: string[], message: string]>([
    [
      "Search",
      ruleFor("GET /{since_id}"),
      ["x"],
      "sinceId must be a whole number from -9223372036854775808 to 9223372036854775807",
    ],
    [
      "Search",
      ruleFor("GET /{since_id}"),
      ["9223372036854775808"],
      "sinceId must be a whole number from -9223372036854775808 to 9223372036854775807",
    ],
    ["Search", ruleFor("GET /{count}"), [""], "count must be a whole number from -2147483648 to 2147483647"],
    ["Search", ruleFor("GET /{exact}"), ["TRUE"], "exact must be true or false"],
    [
      "Search",
      ruleFor("GET /{format}"),
      ["AUDIO"],
      "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO",
    ],
    ["Search", ruleFor("GET /{cursor}"), ["a"], "cursor must be base64"],
    [
      "Search",
      ruleFor("GET /{criteria.year}"),
      ["1.5"],
      "criteria.year must be a whole number from -2147483648 to 2147483647",
    ],
  ])("%s %j %j", (method, rule, values, message) => {
    expect(() => bind(method, rule, { values })).toThrow(new Error(message));
  });
});

const IGNORE: BindingOptions = { pathConflicts: "ignore", unknownParameters: "ignore", unknownFields: "ignore" };

describe("the path is final where other values are ignored", () => {
  test.each<[method: string, HttpRule, Sent, JsonValue]>([
    [
      "Search",
      search,
      searchWith('criteria={"author":"b","year":1}&sinceId=%zz&exact=no&city=a'),
      { criteria: { author: "a", year: 1 }, sinceId: "5", format: "FORMAT_AUDIO", cursor: "+/8=", zip: 7, exact: true },
    ],
    [
      "MoveBook",
      move,
      moveWith({ name: 5, place: { number: 1, note: "a" } }),
      { name: "n", place: { code: "c", note: "a" } },
    ],
    ["MoveBook", move, moveWith({ shelf: "a" }), { name: "n", place: { code: "c" } }],
    ["UpdateBook", update, updateWith({ name: "m" }, "book.name=o&book.title=a"), { book: { name: "n" } }],
  ])("%s %j %j", (method, rule, sent, expected) => {
    expect(bind(method, rule, sent, IGNORE)).toEqual(expected);
  });

  const name = fc.constantFrom(
    "name",
    "place",
    "place.code",
    "place.number",
    "place[code]",
    "shelf",
    "room",
    "%6eame",
    "x",
  );
  const value = fc.oneof(fc.string(), fc.constantFrom("{}", '{"code":"x"}', '{"number":1}', "null", "%zz"));

  test("whatever the query contains", () => {
    const rule = ruleFor("GET /{name}/{place.code}");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.boolean(), (pairs, isStrict) => {
        const query = pairs
          .map(([key, text]) => `${key}=${text.startsWith("%") ? text : encodeURIComponent(text)}`)
          .join("&");
        const json = attempt(() => bind("MoveBook", rule, { values: ["n", "c"], query }, isStrict ? {} : IGNORE));
        if (json !== undefined) expect(json).toMatchObject({ name: "n", place: { code: "c" } });
      }),
      { numRuns: 300 },
    );
  });

  test("whatever the body contains", () => {
    const key = fc.constantFrom("name", "place", "code", "number", "shelf", "room", "note", "x");
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonValue>(null, "", "n", "c", 0, []),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
      ),
    }));
    fc.assert(
      fc.property(tree, fc.boolean(), (body, isStrict) => {
        const json = attempt(() => bind("MoveBook", move, { values: ["n", "c"], body }, isStrict ? {} : IGNORE));
        if (json !== undefined) expect(json).toMatchObject({ name: "n", place: { code: "c" } });
      }),
      { numRuns: 300 },
    );
  });
});

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
