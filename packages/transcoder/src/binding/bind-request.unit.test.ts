import { type DescMethodUnary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { parseJson } from "../json-in/parse-json.ts";
import type { Route } from "../rules/route.ts";
import { bindRequest } from "./bind-request.ts";
import type { BindingOptions } from "./reading.ts";

const routeOf = (rule: string, body: string) => (libraryRoutes({ CreateBook: ruleFor(rule, { body }) }) as [Route])[0];
const whole = routeOf("POST /{parent}", "*");
const ofBook = routeOf("POST /{parent}", "book");
const none = routeOf("POST /{parent}", "");

function bind(route: Route, body: JsonValue | undefined, query = "", options?: BindingOptions): JsonValue {
  const message = bindRequest(route, { values: ["p"], query, body }, options);
  return toJson((route.method as DescMethodUnary).input, message);
}

describe("a body is refused", () => {
  test.each<[Route, JsonValue, string]>([
    [whole, [], "request body must be a JSON object"],
    [whole, "text", "request body must be a JSON object"],
    [whole, 0, "request body must be a JSON object"],
    [whole, { book: 5 }, "book must be a JSON object"],
    [whole, { book: [] }, "book must be a JSON object"],
    [whole, { bookId: 5 }, "bookId must be a string"],
    [whole, { bookId: "\ud800" }, "bookId must be a string of valid Unicode"],
    [whole, { bookId: "a", book_id: "b" }, "bookId must be given once"],
    [whole, { bookid: "a" }, "bookid is unknown: did you mean bookId?"],
    [whole, { book: { authors: "a" } }, "book.authors must be an array"],
    [whole, { book: { authors: ["a", null] } }, "book.authors[1] must be a string"],
    [whole, { book: { labels: ["a"] } }, "book.labels must be a JSON object"],
    [whole, { book: { labels: { a: null } } }, "book.labels.a must be a string"],
    [
      whole,
      { book: { labels: { "\ud800": "a" } } },
      "book.labels.\ud800 must be left out: the keys are of type string",
    ],
    [whole, { constructor: 1 }, "constructor is unknown"],
    [ofBook, [], "book must be a JSON object"],
    [ofBook, "text", "book must be a JSON object"],
    [ofBook, { title: 5 }, "book.title must be a string"],
    [ofBook, { book: {} }, "book.book is unknown"],
  ])("%# %j", (route, json, message) => {
    expect(() => bind(route, json)).toThrow(new Error(message));
  });
});

describe("a body is bound", () => {
  test.each<[Route, JsonValue | undefined, JsonValue]>([
    [whole, undefined, {}],
    [whole, null, {}],
    [whole, {}, {}],
    [whole, { book: null, bookId: null }, {}],
    [whole, { book_id: "a", book: {} }, { bookId: "a", book: {} }],
    [whole, { book: { title: "", pages: "5" } }, { book: { pages: "5" } }],
    [ofBook, undefined, {}],
    [ofBook, null, {}],
    [ofBook, { title: "a", labels: { a: "b" } }, { book: { title: "a", labels: { a: "b" } } }],
    [none, { title: 5 }, {}],
  ])("%# %j", (route, json, expected) => {
    expect(bind(route, json)).toEqual({ parent: "p", ...(expected as object) });
  });

  test("with a query for the fields outside of it", () => {
    expect(bind(ofBook, { title: "a" }, "bookId=b")).toEqual({ parent: "p", bookId: "b", book: { title: "a" } });
    expect(bind(none, undefined, "bookId=b&book.title=a")).toEqual({ parent: "p", bookId: "b", book: { title: "a" } });
    expect(() => bind(ofBook, {}, "book.title=a")).toThrow(new Error("book.title must be in the body"));
    expect(() => bind(whole, {}, "bookId=b")).toThrow(new Error("bookId must be in the body"));
    expect(bind(whole, {}, "bookId=b&%zz", { unknownParameters: "ignore" })).toEqual({ parent: "p" });
  });

  test("without unknown fields, if they are ignored", () => {
    const json = { unknown: { deep: [1] }, bookId: "a", book: { other: 1 } };
    expect(bind(whole, json, "", { unknownFields: "ignore" })).toEqual({ parent: "p", bookId: "a", book: {} });
  });

  test("with __proto__ as a name like any unknown one, and as a key like any other", () => {
    const json = parseJson(Buffer.from('{"__proto__":{"bookId":"x"},"book":{"labels":{"__proto__":"a"}}}'));
    const bound = bind(whole, json, "", { unknownFields: "ignore" });
    expect(JSON.stringify(bound)).toBe('{"parent":"p","book":{"labels":{"__proto__":"a"}}}');
    expect(Reflect.get({}, "bookId")).toBeUndefined();
    expect(() => bind(whole, json)).toThrow(new Error("__proto__ is unknown"));
  });
});

describe("an error", () => {
  const errorOf = (act: () => unknown): TranscodingError => {
    try {
      act();
    } catch (error) {
      if (error instanceof TranscodingError) return error;
    }
    throw new Error("nothing was refused");
  };

  test("has all violations of body, query and path, in this order, each with its place as sent", () => {
    const [route] = libraryRoutes({ Search: ruleFor("POST /{since_id}/{count}", { body: "criteria" }) }) as [Route];
    const body = { yaer: 1, tags: ["a", 1, 2], inner: { author: 1, author_: 2 } };
    const parts = { values: ["x", "5"], query: "exact=1&zip=%zz&count=6&more=1", body };
    const { kind, message, detail } = errorOf(() => bindRequest(route, parts));
    expect([kind, message]).toEqual(["unknown-parameter", "criteria.yaer is unknown: did you mean criteria.year?"]);
    expect(detail.violations?.map((one) => [one.in, one.field, one.description, one.path.join("/")])).toEqual([
      ["body", "criteria.yaer", "criteria.yaer is unknown: did you mean criteria.year?", "criteria/yaer"],
      ["body", "criteria.tags[1]", "criteria.tags[1] must be a string", "criteria/tags/1"],
      ["body", "criteria.tags[2]", "criteria.tags[2] must be a string", "criteria/tags/2"],
      ["body", "criteria.inner.author", "criteria.inner.author must be a string", "criteria/inner/author"],
      [
        "body",
        "criteria.inner.author_",
        "criteria.inner.author_ is unknown: did you mean criteria.inner.author?",
        "criteria/inner/author_",
      ],
      ["query", "exact", "exact must be true or false", "exact"],
      ["query", "zip", "zip must be percent-encoded UTF-8", "zip"],
      ["query", "more", "more must be a JSON object", "more"],
      ["path", "sinceId", "sinceId must be a whole number from -9223372036854775808 to 9223372036854775807", "sinceId"],
      ["query", "count", "count must be as in the path, or left out", "count"],
    ]);
  });

  test("has at most 100 violations", () => {
    const body = { book: { authors: Array.from({ length: 500 }, (_, index) => index) } };
    const { violations } = errorOf(() => bind(whole, body)).detail;
    expect(violations).toHaveLength(100);
    expect(violations?.at(-1)?.field).toBe("book.authors[99]");
  });

  test("of a path that cannot be decoded comes before all others", () => {
    const parts = { values: [undefined], query: "a=b", body: { a: 1 } };
    expect(errorOf(() => bindRequest(whole, parts))).toMatchObject({ kind: "invalid-path", detail: {} });
  });
});
