import { type DescMethodUnary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { routesFor, ruleFor } from "../test/routes.ts";
import { bindRequest } from "./bind-request.ts";
import { parseJson } from "./parse-json.ts";

const [list, update, preset] = routesFor({
  ListWorkspaceDesigns: ruleFor("GET /things/{id}/designs"),
  UpdateWorkspace: ruleFor("PUT /things/{id}", { body: "*" }),
  ListWorkspaceViews: ruleFor("POST /things/{id}/views", { body: "filter" }),
}).toSorted((a, b) => a.template.text.localeCompare(b.template.text));

function bind(route: typeof list, query: string, body?: JsonValue) {
  if (route === undefined) throw new Error("no route");
  const message = bindRequest(route, { values: ["one"], query, body });
  return toJson((route.method as DescMethodUnary).input, message);
}
const routes = [list, update, preset];
const query = (text: string) =>
  bind(
    routes.find((route) => route?.body === "none"),
    text,
  );
const body = (json: JsonValue) =>
  bind(
    routes.find((route) => route?.body === "whole"),
    "name=query",
    json,
  );

describe("a query is refused", () => {
  test.each([
    ["page=1.5", "page must be a whole number"],
    ["page=", "page must be a whole number"],
    ["page", "page must be a whole number"],
    ["page=+5", "page must be a whole number"],
    ["PAGESIZE=ten", "pageSize must be a whole number"],
    ["page=1e2", "page must be a whole number"],
    ["page=0x10", "page must be a whole number"],
    ["page=1&page=1", "page must be given once"],
    ["pageSize=1&page_size=1", "pageSize must be given once"],
    ["pageSize=1&pagesize=2", "pageSize must be given once"],
    ["search=a&search=b", "search must be given once"],
    ["filter=", "filter must be a JSON object"],
    ["filter=null", "filter must be a JSON object"],
    ["filter=%7B%22assigned%22%3Atrue,%22assigned%22%3Atrue%7D", "filter.assigned must be given once"],
    ["filter=[]", "filter must be a JSON object"],
    ["filter={", "filter must be a JSON object"],
    ["filter=%7B%22assigned%22%3A%22false%22%7D", "filter.assigned must be true or false"],
    ["filter.assigned=no", "filter.assigned must be true or false"],
    ["filter[assigned]=1", "filter.assigned must be true or false"],
    ["filter[assigned]=True", "filter.assigned must be true or false"],
    ["filter.assigned=true&filter[assigned]=true", "filter.assigned must be given once"],
    ["filter={}&filter.assigned=true", "filter.assigned must be given once"],
    ["filter.assigned=true&FILTER={}", "filter must be given once"],
    ["search=%zz", "search must be percent-encoded UTF-8"],
    ["search=%ff", "search must be percent-encoded UTF-8"],
    ["%zz=1", "the query string must be percent-encoded UTF-8"],
  ])("%s", (text, message) => {
    expect(() => query(text)).toThrow(new Error(message));
  });
});

describe("a query is bound", () => {
  test.each<[string, JsonValue]>([
    ["", {}],
    ["&&=&unknown=%zz&page.x=1&__proto__=1&constructor=2&toString=3", {}],
    ["order=updated_at+desc", { order: "updated_at desc" }],
    ["search=a%2Bb", { search: "a+b" }],
    ["search=a=b", { search: "a=b" }],
    ["search", {}],
    ["pageSize=010", { pageSize: "10" }],
    ["page=-1", { page: "-1" }],
    ["pageSize=99999999999999999999999999", { pageSize: "9223372036854775807" }],
    ["page=-99999999999999999999999999", { page: "-9223372036854775808" }],
    ["visibility=private&visibility=public", { visibility: ["private", "public"] }],
    ["visibility[]=private&VISIBILITY=public", { visibility: ["private", "public"] }],
    ['filter={"assigned":false,"other":1}', { filter: { assigned: false } }],
    ["filter.assigned=false", { filter: { assigned: false } }],
    ["filter[assigned]=false", { filter: { assigned: false } }],
    ["filter%5Bassigned%5D=true", { filter: { assigned: true } }],
    ['filter={"assigned":null}', { filter: {} }],
    ["filter.other=1", {}],
    ["id=two&ID=three", {}],
  ])("%s", (text, expected) => {
    expect(query(text)).toEqual({ id: "one", ...(expected as object) });
  });

  test("any percent-encoded text is decoded from a parameter", () => {
    const text = fc.string({ unit: "binary", minLength: 1 }).filter((one) => one.isWellFormed());
    fc.assert(
      fc.property(text, fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (search, page) => {
        expect(query(new URLSearchParams({ search, page: `${page}` }).toString())).toEqual({
          id: "one",
          search,
          page: `${page}`,
        });
      }),
    );
  });
});

describe("a body is refused", () => {
  test.each<[JsonValue, string]>([
    [[], "request body must be a JSON object"],
    ["text", "request body must be a JSON object"],
    [0, "request body must be a JSON object"],
    [{ name: 5 }, "name must be a string"],
    [{ description: ["a"] }, "description must be a string"],
    [{ name: "\ud800" }, "name must be a string of valid Unicode"],
  ])("%j", (json, message) => {
    expect(() => body(json)).toThrow(new Error(message));
  });
});

describe("a body is bound", () => {
  test.each<[JsonValue, JsonValue]>([
    [{}, {}],
    [null, {}],
    [{ name: null }, {}],
    [{ name: "" }, { name: "" }],
    [{ name: "a", unknown: { deep: [1] }, organizationId: 5 }, { name: "a" }],
    [{ id: "two" }, {}],
    [{ id: null }, {}],
    [{ id: 5 }, {}],
  ])("%j", (json, expected) => {
    expect(body(json)).toEqual({ id: "one", ...(expected as object) });
  });

  test("__proto__ is a name like any unknown one", () => {
    const json = parseJson(Buffer.from('{"__proto__":{"name":"x","id":"y"},"constructor":{"prototype":{"name":"z"}}}'));
    expect(body(json)).toEqual({ id: "one" });
    expect(Reflect.get({}, "name")).toBeUndefined();
  });

  test("of one field, with a query", () => {
    const route = routes.find((candidate) => typeof candidate?.body === "object");
    expect(bind(route, "page=2&filter.assigned=true", { assigned: false })).toEqual({
      id: "one",
      page: "2",
      filter: { assigned: false },
    });
    expect(bind(route, "page=2", null)).toEqual({ id: "one", page: "2" });
    expect(() => bind(route, "", { assigned: "no" })).toThrow(new Error("filter.assigned must be true or false"));
  });
});

describe("path values are final", () => {
  const spelling = fc.constantFrom("id", "Id", "ID", "iD", "id[]", "id.x", "[id]", "%69d");

  test("whatever the query contains", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(spelling, fc.string())), (pairs) => {
        const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        expect(query(text)).toEqual({ id: "one" });
      }),
    );
  });

  test("whatever the body contains", () => {
    fc.assert(
      fc.property(fc.dictionary(spelling, fc.jsonValue()), (json) => {
        expect(body(json as JsonValue)).toEqual({ id: "one" });
      }),
    );
  });
});
