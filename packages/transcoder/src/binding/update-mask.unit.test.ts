import { type DescMethodUnary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import type { Route } from "../rules/route.ts";
import { bindRequest } from "./bind-request.ts";
import type { BindingOptions } from "./reading.ts";

/** Returns the update mask of a request with the given body, as JSON; undefined if it has none. */
function maskOf(rule: string, body: JsonValue | undefined, query = "", options?: BindingOptions): unknown {
  const [route] = libraryRoutes({ UpdateBook: ruleFor(rule, { body: "book" }) }) as [Route];
  const values = route.variables.map(() => "n");
  const message = bindRequest(route, { values, query, body }, options);
  return (toJson((route.method as DescMethodUnary).input, message) as { updateMask?: string }).updateMask;
}

describe("the mask of an update is made of the names in its body", () => {
  test.each<[JsonValue | undefined, string | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [{}, undefined],
    [{ title: "a", pages: 5 }, "title,pages"],
    [{ pages: 5, title: "" }, "pages,title"],
    [{ title: null }, "title"],
    [{ publisher: null }, "publisher"],
    [{ publisher: {} }, "publisher"],
    [{ publisher: { city: "a" } }, "publisher.city"],
    [{ publisher: { city: null, name: "" } }, "publisher.city,publisher.name"],
    [{ authors: ["a"], labels: { a: "b" } }, "authors,labels"],
    [{ authors: [], labels: {} }, "authors,labels"],
    [{ name: "n" }, undefined],
    [{ name: "n", title: "a" }, "title"],
    [{ name: null, title: "a" }, "title"],
  ])("%j: %j", (body, mask) => {
    expect(maskOf("PATCH /{book.name}", body)).toBe(mask);
  });

  test("without what the path binds, at any depth", () => {
    expect(maskOf("PATCH /{book.publisher.name}", { publisher: { name: "n" } })).toBe(undefined);
    expect(maskOf("PATCH /{book.publisher.name}", { publisher: { name: "n", city: "a" }, name: "b" })).toBe(
      "publisher.city,name",
    );
  });

  test("without names that are ignored", () => {
    expect(maskOf("PATCH /a", { titel: "a", pages: 5 }, "", { unknownFields: "ignore" })).toBe("pages");
  });
});

describe("an explicit mask is final", () => {
  test.each([
    ["updateMask=pages", "pages"],
    ["update_mask=publisher.city,title", "publisher.city,title"],
    ["updateMask=", ""],
  ])("%s", (query, mask) => {
    expect(maskOf("PATCH /a", { title: "a" }, query)).toBe(mask);
  });
});

describe("there is no mask", () => {
  test.each(["PUT /a", "POST /a"])("of %s, which replaces or creates", (rule) => {
    expect(maskOf(rule, { title: "a" })).toBe(undefined);
  });

  test("of a request without such a field, or whose body is no message", () => {
    const [create, move, search] = libraryRoutes({
      CreateBook: ruleFor("PATCH /a", { body: "book" }),
      MoveBook: ruleFor("PATCH /b", { body: "*" }),
      Search: ruleFor("PATCH /c", { body: "text" }),
    });
    expect([create?.updateMask, move?.updateMask, search?.updateMask]).toEqual([undefined, undefined, undefined]);
  });
});
