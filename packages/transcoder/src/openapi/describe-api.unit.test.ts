import { describe, expect, test } from "@jest/globals";
import { LibraryService } from "../../test/gen/library/v1/library_pb.ts";
import type { HttpRule } from "../index.ts";
import { describeApi } from "./describe-api.ts";
import type { OpenapiDocument, Operation, Parameter } from "./document.ts";
import type { OpenapiOptions } from "./openapi-options.ts";

const info = { title: "Library", version: "1" };

function library(options: Partial<OpenapiOptions> = {}): OpenapiDocument {
  return describeApi({ services: [LibraryService], info, ...options });
}

/** Describes GetBook alone, at other rules. */
function withRules(...rules: readonly Partial<HttpRule>[]): OpenapiDocument {
  const empty: HttpRule = { pattern: { case: undefined }, body: "", responseBody: "", additionalBindings: [] };
  const [first = empty, ...rest] = rules.map((rule) => ({ ...empty, ...rule }));
  const rule = { ...first, additionalBindings: rest };
  return library({ rule: ({ name }) => (name === "GetBook" ? rule : undefined) });
}

function operation(document: OpenapiDocument, method: string, path: string): Operation {
  const found = document.paths[path]?.[method];
  if (found === undefined) throw new Error(`no ${method} ${path} among ${Object.keys(document.paths)}`);
  return found;
}

function parameters(document: OpenapiDocument, method: string, path: string): Parameter[] {
  return (operation(document, method, path).parameters ?? []) as Parameter[];
}

describe("paths", () => {
  test("a variable of several segments becomes a parameter for each of its wildcards", () => {
    expect(Object.keys(library().paths)).toEqual([
      "/v1/shelves/{shelf}/books/{book}",
      "/v1/books/{name}",
      "/v1/shelves/{shelf}/books",
      "/v1/shelves/{shelf}/books/{book}:move",
      "/files/{path}",
      "/v1/search/{criteria.author}",
    ]);
    const [shelf] = parameters(library(), "get", "/v1/shelves/{shelf}/books/{book}");
    expect(shelf).toEqual({
      name: "shelf",
      in: "path",
      required: true,
      description: "A part of `name`.",
      schema: { type: "string" },
    });
    expect(parameters(library(), "get", "/files/{path}")[0]?.description).toMatch("its slashes are sent as they are");
  });

  test("two paths that differ only in the names of parameters have one name", () => {
    const { paths } = withRules(
      { pattern: { case: "get", value: "/a/{name}" } },
      { pattern: { case: "put", value: "/a/*" } },
    );
    expect(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ["/a/{name}", ["get", "put"]],
    ]);
  });

  test("a rule for any method is described for those without a rule, and a method of its own under an extension", () => {
    const { paths } = withRules(
      { pattern: { case: "custom", value: { kind: "*", path: "/a" } } },
      { pattern: { case: "get", value: "/a" } },
      { pattern: { case: "custom", value: { kind: "PURGE", path: "/a" } } },
    );
    const item = paths["/a"] ?? {};
    expect(Object.keys(item)).toEqual(["get", "post", "put", "patch", "delete", "x-additionalOperations"]);
    expect(Object.keys(item["x-additionalOperations"] ?? {})).toEqual(["PURGE"]);
    const ids = ["get", "post"].map((method) => item[method]?.operationId);
    expect(ids).toEqual(["GetBook2", "GetBook_POST"]);
  });

  test.each([
    ["/a b%7B/{name}", "/a%20b%7B/{name}"],
    ["/{name=families/*/boxes/*}", "/families/{family}/boxes/{box}"],
    ["/{name=a/*/a/*}", "/a/{a}/a/{a2}"],
    ["/1/*/{name=2/*}", "/1/{segment}/2/{name}"],
    ["/{name=shelves/**}:read", "/shelves/{shelf}:read"],
    ["/", "/"],
  ])("%s is described as %s", (template, path) => {
    const encoded = template.replace(" ", "%20");
    expect(Object.keys(withRules({ pattern: { case: "get", value: encoded } }).paths)).toEqual([path]);
  });

  test("two operations with one id are refused", () => {
    expect(() => library({ operation: () => ({ operationId: "Same" }) })).toThrow("two operations have the id Same");
  });
});

describe("requests", () => {
  test("a query has each field that neither path nor body binds, nested ones by their path", () => {
    const described = parameters(library(), "get", "/v1/search/{criteria.author}").filter((one) => one.in === "query");
    const byName = Object.fromEntries(described.map((one) => [one.name, one]));
    expect(Object.keys(byName)).not.toContain("criteria.author");
    expect(byName["criteria.year"]?.schema).toEqual({ type: "integer", format: "int32" });
    expect(byName["criteria.inner"]?.content).toHaveProperty(["application/json"]);
    expect(byName["sinceId"]?.schema).toEqual({ type: "integer", format: "int64" });
    expect(byName["untilId"]?.schema).toEqual({ type: "integer", format: "uint64", minimum: 0 });
    expect(byName["labels"]).toMatchObject({ style: "deepObject", explode: true });
    expect(byName["flags"]?.schema).toMatchObject({ propertyNames: { pattern: "^-?[0-9]+$" } });
    expect(byName["after"]?.schema).toEqual({ type: "string", format: "date-time" });
    expect(byName["note"]?.schema).toEqual({ type: "string" });
    expect(byName["extra"]?.content).toHaveProperty(["application/json"]);
    expect(byName["more"]?.schema?.items).toMatchObject({ type: "string", contentMediaType: "application/json" });
    expect(byName["spot.code"]?.schema).toEqual({ type: "string" });
  });

  test("messages in a query are JSON on demand", () => {
    const described = parameters(library({ queryMessages: "json" }), "get", "/v1/search/{criteria.author}");
    expect(described.find(({ name }) => name === "spot")?.content).toHaveProperty(["application/json"]);
  });

  test("a body has no field that the path binds, also below the body field", () => {
    const document = library();
    const { schemas } = document.components;
    const bodyOf = (method: string, path: string) => operation(document, method, path).requestBody?.content;
    expect(bodyOf("post", "/v1/shelves/{shelf}/books/{book}:move")).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/MoveBookRequest" } },
    });
    expect(Object.keys(schemas["MoveBookRequest"]?.properties ?? {})).toEqual(["shelf", "place", "room"]);
    expect(Object.keys(schemas["UpdateBookBody"]?.properties ?? {})).not.toContain("name");
    expect(Object.keys(schemas["Book"]?.properties ?? {})).toContain("name");
  });

  test("members of a oneof exclude each other, and unknown fields are refused unless the options ignore them", () => {
    const { MoveBookRequest } = library().components.schemas;
    expect(MoveBookRequest?.not?.anyOf).toContainEqual({ required: ["shelf", "room"] });
    expect(MoveBookRequest?.additionalProperties).toBe(false);
    const lenient = library({ binding: { unknownFields: "ignore" } }).components.schemas;
    expect(lenient["MoveBookRequest"]).not.toHaveProperty("additionalProperties");
  });

  test("a message in requests and replies has a schema for each", () => {
    const { Book, BookInput } = library({ json: { defaults: "write" } }).components.schemas;
    expect(Book?.properties?.["pages"]).toEqual({ type: "string", format: "int64", pattern: "^-?[0-9]+$" });
    expect(BookInput?.properties?.["pages"]?.type).toEqual(["integer", "string"]);
    expect(Book?.required).toEqual(["name", "title", "authors", "labels", "pages"]);
    expect(BookInput).not.toHaveProperty("required");
  });
});

describe("what a program declares", () => {
  test("limits apply to the items of a list, and a required text is not empty", () => {
    const { BookInput } = library({
      field: ({ name }) => ({
        required: name === "title" || name === "authors",
        schema: name === "authors" ? { maxLength: 9, default: [] } : {},
      }),
    }).components.schemas;
    expect(BookInput?.required).toEqual(["title", "authors"]);
    expect(BookInput?.properties?.["title"]).toEqual({ minLength: 1, type: "string" });
    const items = { type: "string", maxLength: 9 };
    expect(BookInput?.properties?.["authors"]).toEqual({ type: "array", items, minItems: 1, default: [] });
  });

  test("errors are a google.rpc.Status or a problem, unless the program lists its own", () => {
    const usual = operation(library(), "get", "/v1/books/{name}").responses;
    expect(Object.keys(usual)).toEqual(["200", "400", "default"]);
    const failures = [
      { status: 404, code: "NOT_FOUND", message: "no such book" },
      { status: 403, code: "FORBIDDEN", message: "not your book" },
    ];
    const document = library({ operation: () => ({ failures }) });
    expect(Object.keys(operation(document, "get", "/v1/books/{name}").responses)).toEqual(["200", "403", "404"]);
    expect(document.components.responses?.["NotFound"]?.description).toBe("`NOT_FOUND`: no such book");
  });

  test("summaries are the words of the RPC's name, and additional bindings have numbers", () => {
    const first = operation(library(), "get", "/v1/shelves/{shelf}/books/{book}");
    expect([first.summary, first.operationId, first.tags]).toEqual(["Get book", "GetBook", ["Library"]]);
    expect(operation(library(), "get", "/v1/books/{name}").operationId).toBe("GetBook2");
  });

  test("equal input gives equal bytes", () => {
    expect(JSON.stringify(library())).toBe(JSON.stringify(library()));
  });
});
