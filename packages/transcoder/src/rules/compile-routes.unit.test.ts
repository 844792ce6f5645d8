import { describe, expect, test } from "@jest/globals";
import { LibraryService } from "../../test/gen/library/v1/library_pb.ts";
import { declaredRoutes, libraryRoutes } from "../../test/library.ts";
import { NO_TRANSPORT, ruleFor } from "../../test/routes.ts";
import { compileRoutes } from "./compile-routes.ts";
import { type HttpRule, InvalidRules } from "./http-rules.ts";

const at = (template: string, column: number) => `path template "${template}", column ${column}: `;

describe("a rule is refused", () => {
  test.each<[method: string, rule: HttpRule, message: string]>([
    ["GetBook", { ...ruleFor("GET /a"), pattern: { case: undefined } }, "the rule has no pattern"],
    ["GetBook", ruleFor("** /a"), '"**" is not an HTTP method'],
    ["GetBook", ruleFor("A,B /a"), '"A,B" is not an HTTP method'],
    ["GetBook", ruleFor("1 /a"), '"1" is not an HTTP method'],
    ["GetBook", ruleFor("Ä /a"), '"Ä" is not an HTTP method'],
    ["GetBook", { ...ruleFor("X /a"), pattern: custom("", "/a") }, '"" is not an HTTP method'],
    ["GetBook", { ...ruleFor("X /a"), pattern: custom("GET ", "/a") }, '"GET " is not an HTTP method'],
    ["GetBook", ruleFor("GET /{"), `${at("/{", 3)}expected the name of a field`],
    ["GetBook", ruleFor("GET /**/a"), `${at("/**/a", 5)}"**" must be the last segment`],
    ["GetBook", ruleFor("GET /{no}"), `${at("/{no}", 3)}path variable "no" is no field of library.v1.GetBookRequest`],
    [
      "GetBook",
      ruleFor("GET /{name.x}"),
      `${at("/{name.x}", 3)}path variable "name.x" is no field of library.v1.GetBookRequest`,
    ],
    [
      "UpdateBook",
      ruleFor("GET /{book.no}"),
      `${at("/{book.no}", 3)}path variable "book.no" is no field of library.v1.UpdateBookRequest`,
    ],
    [
      "UpdateBook",
      ruleFor("GET /{book.authors.x}"),
      `${at("/{book.authors.x}", 3)}path variable "book.authors.x" is no field of library.v1.UpdateBookRequest`,
    ],
    [
      "ListBooks",
      ruleFor("GET /{pageSize}"),
      `${at("/{pageSize}", 3)}path variable "pageSize" is no field of library.v1.ListBooksRequest`,
    ],
    [
      "UpdateBook",
      ruleFor("GET /v1/{book}"),
      `${at("/v1/{book}", 6)}path variable "book" must be a singular scalar or enum, not a message`,
    ],
    [
      "Search",
      ruleFor("GET /{note}"),
      `${at("/{note}", 3)}path variable "note" must be a singular scalar or enum, not a message`,
    ],
    [
      "UpdateBook",
      ruleFor("GET /{book.authors}"),
      `${at("/{book.authors}", 3)}path variable "book.authors" must be a singular scalar or enum, not a list`,
    ],
    [
      "UpdateBook",
      ruleFor("GET /{book.labels}"),
      `${at("/{book.labels}", 3)}path variable "book.labels" must be a singular scalar or enum, not a map`,
    ],
    ["GetBook", ruleFor("GET /{name}/{name}"), `${at("/{name}/{name}", 10)}path variable "name" is given twice`],
    [
      "UpdateBook",
      ruleFor("GET /{book.name=*/*}/{book.name}"),
      `${at("/{book.name=*/*}/{book.name}", 19)}path variable "book.name" is given twice`,
    ],
    [
      "MoveBook",
      ruleFor("GET /{shelf}/{room}"),
      `${at("/{shelf}/{room}", 11)}path variable "room" excludes "shelf": both are in oneof target`,
    ],
    [
      "MoveBook",
      ruleFor("GET /{shelf}/{place.note}"),
      `${at("/{shelf}/{place.note}", 11)}path variable "place.note" excludes "shelf": both are in oneof target`,
    ],
    [
      "MoveBook",
      ruleFor("GET /{place.code}/{place.number}"),
      `${at("/{place.code}/{place.number}", 16)}path variable "place.number" excludes "place.code": both are in oneof point`,
    ],
    [
      "MoveBook",
      ruleFor("POST /{shelf}", { body: "place" }),
      `${at("/{shelf}", 3)}path variable "shelf" excludes the body "place": both are in oneof target`,
    ],
    ["GetBook", ruleFor("PUT /{name}", { body: "name" }), `${at("/{name}", 3)}path variable "name" is the body, too`],
    ["GetBook", ruleFor("POST /a", { body: "no" }), 'body "no" is no field of library.v1.GetBookRequest'],
    [
      "UpdateBook",
      ruleFor("POST /a", { body: "book.name" }),
      'body "book.name" is no field of library.v1.UpdateBookRequest',
    ],
    ["GetBook", ruleFor("GET /a", { body: "*" }), "GET takes no body"],
    ["GetBook", ruleFor("head /a", { body: "name" }), "HEAD takes no body"],
    ["CreateBook", ruleFor("POST /a", { body: "bookId" }), 'body "bookId" is no field of library.v1.CreateBookRequest'],
    ["GetBook", ruleFor("GET /a", { responseBody: "no" }), 'response body "no" is no field of library.v1.Book'],
    ["GetBook", ruleFor("GET /a", { responseBody: "*" }), 'response body "*" is no field of library.v1.Book'],
    [
      "GetBook",
      ruleFor("GET /a", { additionalBindings: [ruleFor("GET /b", { additionalBindings: [ruleFor("GET /c")] })] }),
      "additional bindings must not be nested",
    ],
    ["ImportBooks", ruleFor("POST /a", { body: "*" }), "a client stream cannot be transcoded"],
    ["ChatAboutBooks", ruleFor("POST /a", { body: "*" }), "a stream in both directions cannot be transcoded"],
  ])("of %s: %j", (method, rule, message) => {
    expect(() => libraryRoutes({ [method]: rule })).toThrow(
      new InvalidRules([
        {
          file: "library/v1/library.proto",
          rpc: `library.v1.LibraryService.${method}`,
          at: undefined,
          what: message,
        },
      ]),
    );
  });
});

describe("routes are refused that match the same requests", () => {
  test.each([
    ["GET /a/{name}", "GET /a/{parent}", "/a/{name}"],
    ["GET /a/*", "GET /a/{parent=*}", "/a/*"],
    ["GET /a/{name=**}", "GET /a/**", "/a/{name=**}"],
    ["GET /{name=a/*/b}", "GET /a/{parent}/b", "/{name=a/*/b}"],
    ["GET /caf%C3%A9", "GET /café", "/caf%C3%A9"],
    ["GET /a%2fb", "GET /a%2Fb", "/a%2fb"],
    ["GET /%61", "get /a", "/%61"],
    ["* /a", "* /a", "/a"],
    ["GET /a:b", "GET /a:b", "/a:b"],
    ["GET /", "GET /", "/"],
  ])("%s and %s", (first, second, earlier) => {
    const template = second.split(" ")[1];
    const method = second.split(" ")[0]?.toUpperCase();
    expect(() => libraryRoutes({ GetBook: ruleFor(first), ListBooks: ruleFor(second) })).toThrow(
      new Error(
        `library/v1/library.proto: library.v1.LibraryService.ListBooks: path template "${template}", column 1: ` +
          `${method} matches the same requests as "${earlier}" of library.v1.LibraryService.GetBook`,
      ),
    );
  });

  test.each([
    ["GET /a/*", "POST /a/*"],
    ["GET /a/*", "GET /a/**"],
    ["GET /a/*", "GET /a/%2A"],
    ["GET /a/b", "GET /a%2Fb"],
    ["GET /a:b", "GET /a%3Ab"],
    ["GET /a", "GET /A"],
    ["GET /a", "GET /a/**"],
    ["GET /a", "* /a"],
    ["GET /a", "HEAD /a"],
  ])("but not %s and %s", (first, second) => {
    expect(libraryRoutes({ GetBook: ruleFor(first), ListBooks: ruleFor(second) })).toHaveLength(2);
  });
});

test("all faults of all rules are reported at once, each with file, RPC and column", () => {
  const rules = {
    GetBook: ruleFor("GET /a", { additionalBindings: [ruleFor("GET /{"), ruleFor("GET /{no}/{name}/{name}")] }),
    ListBooks: ruleFor("GET /a", { responseBody: "no" }),
    CreateBook: ruleFor("GET /{book}/{nope}", { body: "no", responseBody: "no" }),
    ImportBooks: ruleFor("GET /w"),
  };
  let error: unknown;
  try {
    libraryRoutes(rules);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InvalidRules);
  const prefix = "library/v1/library.proto: library.v1.LibraryService.";
  expect((error as InvalidRules).message.split("\n")).toEqual([
    `${prefix}GetBook: ${at("/{", 3)}expected the name of a field`,
    `${prefix}GetBook: ${at("/{no}/{name}/{name}", 3)}path variable "no" is no field of library.v1.GetBookRequest`,
    `${prefix}GetBook: ${at("/{no}/{name}/{name}", 15)}path variable "name" is given twice`,
    `${prefix}ListBooks: response body "no" is no field of library.v1.ListBooksResponse`,
    `${prefix}CreateBook: body "no" is no field of library.v1.CreateBookRequest`,
    `${prefix}CreateBook: response body "no" is no field of library.v1.Book`,
    `${prefix}CreateBook: ${at("/{book}/{nope}", 3)}path variable "book" must be a singular scalar or enum, not a message`,
    `${prefix}CreateBook: ${at("/{book}/{nope}", 10)}path variable "nope" is no field of library.v1.CreateBookRequest`,
    `${prefix}ImportBooks: a client stream cannot be transcoded`,
    `${prefix}ListBooks: ${at("/a", 1)}GET matches the same requests as "/a" of library.v1.LibraryService.GetBook`,
  ]);
  expect((error as InvalidRules).faults[2]).toEqual({
    file: "library/v1/library.proto",
    rpc: "library.v1.LibraryService.GetBook",
    at: { template: "/{no}/{name}/{name}", column: 15 },
    what: 'path variable "name" is given twice',
  });
});

describe("rules become routes", () => {
  test("that the options of the methods declare", () => {
    expect(
      declaredRoutes().map(({ httpMethod, template, variables }) => [
        `${httpMethod} ${template.text}`,
        variables.map((fields) => fields.map(({ name }) => name).join(".")),
      ]),
    ).toEqual([
      ["GET /v1/{name=shelves/*/books/*}", ["name"]],
      ["GET /v1/books/{name}", ["name"]],
      ["GET /v1/{parent=shelves/*}/books", ["parent"]],
      ["POST /v1/{parent=shelves/*}/books", ["parent"]],
      ["PATCH /v1/{book.name=shelves/*/books/*}", ["book.name"]],
      ["POST /v1/{name=shelves/*/books/*}:move", ["name"]],
      ["GET /files/{path=**}", ["path"]],
      ["GET /v1/search/{criteria.author}", ["criteria.author"]],
    ]);
  });

  test("of custom kinds, in upper case", () => {
    const rules = { GetBook: ruleFor("m-search /a"), ListBooks: ruleFor("* /b") };
    expect(libraryRoutes(rules).map(({ httpMethod }) => httpMethod)).toEqual(["M-SEARCH", "*"]);
  });

  test("also with a variable below the body field, and for two fields of no oneof", () => {
    const rules = {
      UpdateBook: ruleFor("PATCH /{book.name}/{book.publisher.name}", { body: "book" }),
      MoveBook: ruleFor("POST /{place.code}/{place.note}", { body: "*" }),
    };
    expect(libraryRoutes(rules)).toHaveLength(2);
  });

  test("and none of a method without a rule", () => {
    expect(compileRoutes([], {})).toEqual([]);
    expect(libraryRoutes({})).toEqual([]);
  });
});

function custom(kind: string, path: string) {
  return { case: "custom", value: { kind, path } } as const;
}

test("a rule function that throws is a fault of its method", () => {
  const rule = () => {
    throw new Error("no such file");
  };
  expect(() => compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], { rule })).toThrow(
    "library/v1/library.proto: library.v1.LibraryService.GetBook: the rule cannot be read: no such file",
  );
});
