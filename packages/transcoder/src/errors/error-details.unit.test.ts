import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import { bindRequest } from "../binding/bind-request.ts";
import { type JsonPath, locateValues } from "../json-in/locate-json-error.ts";
import { parseJson } from "../json-in/parse-json.ts";
import type { Route } from "../rules/route.ts";
import { badRequest } from "./error-details.ts";
import { locateViolations } from "./locate-violations.ts";
import { TranscodingError } from "./transcoding-error.ts";

const routeOf = (body: string) => (libraryRoutes({ CreateBook: ruleFor("POST /books", { body }) }) as [Route])[0];

/** Returns what is wrong with a request, as a google.rpc.BadRequest has it. */
function faultsOf(route: Route, text: string, query = ""): unknown {
  const bytes = Buffer.from(text);
  try {
    bindRequest(route, { values: [], query, body: parseJson(bytes) });
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    const { fieldViolations } = badRequest(locateViolations(error, bytes, route)) ?? {};
    return (fieldViolations as { field: string; description: string }[])?.map((one) => [one.field, one.description]);
  }
  return undefined;
}

describe("a violation in a body has the line and column of its value", () => {
  test.each<[body: string, text: string, query: string, faults: [string, string][]]>([
    ["*", "{", "", [["", "request body is not valid JSON: position 1 (line 1, column 2)"]]],
    ["*", '{\n  "bookId": 1,\n}', "", [["", "request body is not valid JSON: position 17 (line 3, column 1)"]]],
    [
      "*",
      '{"book":{"title":"a",\n"title":"b"}}',
      "",
      [["book.title", "book.title must be given once (line 2, column 1)"]],
    ],
    ["*", "[]", "", [["request body", "request body must be a JSON object (line 1, column 1)"]]],
    ["*", '{\r\n  "bookId" : 1}', "", [["bookId", "bookId must be a string (line 2, column 14)"]]],
    ["*", '{"bookid":\n\n"a"}', "", [["bookid", "bookid is unknown: did you mean bookId? (line 3, column 1)"]]],
    ["*", '{"book_id":1}', "", [["bookId", "bookId must be a string (line 1, column 12)"]]],
    ["*", '{"b\\u006fok_id":1}', "", [["bookId", "bookId must be a string (line 1, column 17)"]]],
    [
      "*",
      '{"book":{"authors":["ä",\n 1, "b", null],\n"labels":{"x":[], "y":2}}}',
      "",
      [
        ["book.authors[1]", "book.authors[1] must be a string (line 2, column 2)"],
        ["book.authors[3]", "book.authors[3] must be a string (line 2, column 10)"],
        ["book.labels.x", "book.labels.x must be a string (line 3, column 15)"],
        ["book.labels.y", "book.labels.y must be a string (line 3, column 23)"],
      ],
    ],
    [
      "book",
      '{"publisher":{"city":1},"pages":1.5}',
      "bookId=a&bookId=b",
      [
        ["book.publisher.city", "book.publisher.city must be a string (line 1, column 22)"],
        [
          "book.pages",
          "book.pages must be a whole number from -9223372036854775808 to 9223372036854775807 (line 1, column 33)",
        ],
        ["bookId", "bookId must be given once"],
      ],
    ],
    ["book", "\n5", "", [["book", "book must be a JSON object (line 2, column 1)"]]],
    ["book", "{}", "x=1", [["x", "x is unknown"]]],
  ])("%s %j", (body, text, query, faults) => {
    expect(faultsOf(routeOf(body), text, query)).toEqual(faults);
  });

  test("at most 100 of them, of a million lines", () => {
    const text = `{"book":{"authors":[${"\n".repeat(500_000)}${"1,\n".repeat(100_000)}1]}}`;
    const faults = faultsOf(routeOf("*"), text) as string[][];
    expect(faults).toHaveLength(100);
    expect(faults.at(-1)?.[1]).toBe("book.authors[99] must be a string (line 500100, column 1)");
  });
});

test("every value of a text is found where it begins", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const paths = pathsOf(JSON.parse(text) as JsonValue);
      const found = locateValues(text, paths);
      for (const [index, path] of paths.entries()) {
        const one = JSON.stringify(
          path.reduce<unknown>((at, step) => Reflect.get(at as object, step), JSON.parse(text)),
        );
        const at = found[index] ?? -1;
        expect(indent === 0 ? text.startsWith(one, at) : text[at] === one[0]).toBe(true);
      }
      expect(locateValues(text, [["no such name \ud800"], [0, "x", 9]])).toEqual([undefined, undefined]);
    }),
  );
});

function pathsOf(value: JsonValue): JsonPath[] {
  if (typeof value !== "object" || value === null) return [[]];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [[], ...steps.flatMap((step) => pathsOf(Reflect.get(value, step)).map((rest) => [step, ...rest]))];
}
