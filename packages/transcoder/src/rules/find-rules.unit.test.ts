import { describe, expect, test } from "@jest/globals";
import { LibraryService } from "../../test/gen/library/v1/library_pb.ts";
import { NO_TRANSPORT, ruleFor } from "../../test/routes.ts";
import { compileRoutes } from "./compile-routes.ts";
import type { RuleSources } from "./find-rules.ts";
import { InvalidRules } from "./invalid-rules.ts";
import { printRoutes } from "./print-routes.ts";

const LIBRARY = "library.v1.LibraryService";
const GET_BOOK = `${LIBRARY}.GetBook`;
const compile = (sources: RuleSources) =>
  compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], sources);

/** Returns the lines of the error. Overrides are what a file may contain, whatever the types say. */
function faultsOf(overrides: readonly unknown[], rule: RuleSources["rule"] = () => undefined): string[] {
  try {
    compile({ rule, overrides: overrides as RuleSources["overrides"] });
  } catch (error) {
    if (error instanceof InvalidRules) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("an override is refused", () => {
  test.each<[override: unknown, ...faults: string[]]>([
    [null, "overrides[0]: must be an object"],
    [[], "overrides[0]: must be an object"],
    ["get", "overrides[0]: must be an object"],
    [{ get: "/a" }, "overrides[0]: selector must be given"],
    [{ selector: "", get: "/a" }, "overrides[0]: selector must be given"],
    [{ selector: " ", get: "/a" }, "overrides[0]: selector must be given"],
    [{ selector: 5, get: "/a" }, "overrides[0]: selector must be a string"],
    [
      { selector: `${LIBRARY}.GetBok`, get: "/a" },
      `overrides[0], selector "${LIBRARY}.GetBok", column 1: "${LIBRARY}.GetBok" selects no method: did you mean ${GET_BOOK}?`,
    ],
    [
      { selector: "library.v1.LibaryService.GetBook", get: "/a" },
      `overrides[0], selector "library.v1.LibaryService.GetBook", column 1: "library.v1.LibaryService.GetBook" selects no method: did you mean ${GET_BOOK}?`,
    ],
    [{ selector: "x.Y.Z", get: "/a" }, 'overrides[0], selector "x.Y.Z", column 1: "x.Y.Z" selects no method'],
    [
      { selector: `${GET_BOOK}s, ${GET_BOOK}`, get: "/a" },
      `overrides[0], selector "${GET_BOOK}s, ${GET_BOOK}", column 1: "${GET_BOOK}s" selects no method: did you mean ${GET_BOOK}?`,
    ],
    [
      { selector: `${GET_BOOK},  ${GET_BOOK}s`, get: "/a" },
      `overrides[0], selector "${GET_BOOK},  ${GET_BOOK}s", column 37: "${GET_BOOK}s" selects no method: did you mean ${GET_BOOK}?`,
    ],
    [
      { selector: "library.v2.*", get: "/a" },
      'overrides[0], selector "library.v2.*", column 1: "library.v2.*" selects no method: did you mean library.v1.*?',
    ],
    [
      { selector: `${GET_BOOK}.*`, get: "/a" },
      `overrides[0], selector "${GET_BOOK}.*", column 1: "${GET_BOOK}.*" selects no method: did you mean ${LIBRARY}.*?`,
    ],
    ...(
      [
        ["library.v1.Lib*", 15, '"*" must be the whole last component'],
        ["*.GetBook", 1, '"*" must be the whole last component'],
        ["library.*.GetBook", 9, '"*" must be the whole last component'],
        ["**", 1, '"*" must be the whole last component'],
        ["library.v1.", 12, "expected a name"],
        [".library.v1.*", 1, "expected a name"],
        ["library..v1", 9, "expected a name"],
        [`${GET_BOOK},`, 35, "expected a name"],
        ["library.v1/GetBook", 9, "expected a name"],
        ["library.1.X", 9, "expected a name"],
      ] as const
    ).map(([selector, column, what]): [unknown, string] => [
      { selector, get: "/a" },
      `overrides[0], selector "${selector}", column ${column}: ${what}`,
    ]),
    [
      { selector: GET_BOOK, gett: "/a", body: 5 },
      `overrides[0], selector "${GET_BOOK}": gett is unknown: did you mean get?`,
      `overrides[0], selector "${GET_BOOK}": body must be a string`,
    ],
    [
      { selector: GET_BOOK, get: "/a", post: "/b" },
      `overrides[0], selector "${GET_BOOK}": post must be left out where get is given`,
    ],
    [
      { selector: GET_BOOK, get: "/a", responseBody: "name", response_body: "name" },
      `overrides[0], selector "${GET_BOOK}": responseBody must be given once`,
    ],
    [{ selector: GET_BOOK, custom: "HEAD /a" }, `overrides[0], selector "${GET_BOOK}": custom must be a JSON object`],
    [
      { selector: GET_BOOK, get: "/a", additionalBindings: [{ get: ["/b"] }] },
      `overrides[0], selector "${GET_BOOK}": additionalBindings[0].get must be a string`,
    ],
    [
      { selector: GET_BOOK },
      `library/v1/library.proto: ${GET_BOOK}: overrides[0], selector "${GET_BOOK}": the rule has no pattern`,
    ],
    [
      { selector: GET_BOOK, get: "/{nam}" },
      `library/v1/library.proto: ${GET_BOOK}: overrides[0], selector "${GET_BOOK}": path template "/{nam}", column 3: path variable "nam" is no field of library.v1.GetBookRequest`,
    ],
    [
      { selector: `${LIBRARY}.ImportBooks`, post: "/a" },
      `library/v1/library.proto: ${LIBRARY}.ImportBooks: overrides[0], selector "${LIBRARY}.ImportBooks": a client stream cannot be transcoded`,
    ],
  ])("%j", (override, ...faults) => {
    expect(faultsOf([override])).toEqual(faults);
  });

  test("together with all other faults", () => {
    const rule: RuleSources["rule"] = ({ name }) => (name === "ListBooks" ? ruleFor("GET /**/a") : undefined);
    const overrides = [{ selector: "a.B.C", get: "/a" }, { selector: GET_BOOK, get: "a" }, { get: 1 }];
    expect(faultsOf(overrides, rule)).toEqual([
      'overrides[0], selector "a.B.C", column 1: "a.B.C" selects no method',
      "overrides[2]: selector must be given",
      "overrides[2]: get must be a string",
      `library/v1/library.proto: ${GET_BOOK}: overrides[1], selector "${GET_BOOK}": path template "a", column 1: expected "/"`,
      `library/v1/library.proto: ${LIBRARY}.ListBooks: path template "/**/a", column 5: "**" must be the last segment`,
    ]);
  });

  test("that gives several methods one path, which names both", () => {
    const [first] = faultsOf([{ selector: `${GET_BOOK},${LIBRARY}.GetFile`, get: "/a" }]);
    expect(first).toContain(`GET matches the same requests as "/a" of ${GET_BOOK}`);
  });
});

describe("an override", () => {
  const printed = (overrides: RuleSources["overrides"]) =>
    printRoutes(compile({ overrides }))
      .trim()
      .split("\n")
      .map((line) => line.replace(/ +/g, " ").replace(`${LIBRARY}.`, ""));

  test("replaces the rule of the method, additional bindings included", () => {
    const lines = printed([{ selector: GET_BOOK, get: "/v2/{name=**}" }]);
    expect(lines.filter((line) => line.includes("GetBook"))).toEqual(["GET /v2/{name=**} GetBook"]);
    expect(lines).toHaveLength(7);
  });

  test("has every part of a rule, in both spellings", () => {
    const lines = printed([
      {
        selector: `${LIBRARY}.UpdateBook`,
        custom: { kind: "merge", path: "/v2/{book.name}" },
        body: "book",
        response_body: "publisher",
        additional_bindings: [{ put: "/v2/{book.name}", body: "book", responseBody: "title" }],
      } as never,
    ]);
    expect(lines.filter((line) => line.includes("UpdateBook"))).toEqual([
      "MERGE /v2/{book.name} UpdateBook body: book response: publisher",
      "PUT /v2/{book.name} UpdateBook body: book response: title",
    ]);
  });

  test.each([
    [GET_BOOK, "*"],
    ["library.v1.LibraryService.*", GET_BOOK],
    ["library.v1.*", "library.*"],
    [`x.Y.Z,${GET_BOOK}`.slice(6), "library.v1.*, library.*"],
  ])("is the last of those that select a method: %s, then %s", (first, last) => {
    const only: RuleSources["rule"] = () => undefined;
    const service = { ...LibraryService, methods: LibraryService.methods.slice(0, 1) };
    const routes = compileRoutes([{ service, transport: NO_TRANSPORT }], {
      rule: only,
      overrides: [
        { selector: first, get: "/first" },
        { selector: last, get: "/last" },
      ],
    });
    expect(routes.map(({ template }) => template.text)).toEqual(["/last"]);
  });
});

test("a rule function that throws is a fault of its method", () => {
  const rule = () => {
    throw new Error("no such file");
  };
  expect(faultsOf([], rule)[0]).toBe(`library/v1/library.proto: ${GET_BOOK}: the rule cannot be read: no such file`);
});
