import { describe, expect, test } from "@jest/globals";
import { parsePathTemplate, TemplateError } from "./path-template.ts";

const faultOf = (text: string) => {
  try {
    return parsePathTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `${error.column}: ${error.message}`;
  }
};

describe("a path template is refused", () => {
  test.each([
    ["", '1: expected "/"'],
    ["api/things", '1: expected "/"'],
    ["*", '1: expected "/"'],
    ["{id}", '1: expected "/"'],
    [":verb", '1: expected "/"'],
    ["/:verb", "2: expected a segment"],
    ["//", "2: expected a segment"],
    ["/api/", "6: expected a segment"],
    ["/api//things", "6: expected a segment"],
    ["/api/ x", "6: expected a segment"],
    ["/api/\n", "6: expected a segment"],
    ["/api/}", "6: expected a segment"],
    ["/api/{id", '6: "{" is not closed'],
    ["/api/{a.b", '6: "{" is not closed'],
    ["/api/{id=*", '6: "{" is not closed'],
    ["/api/{id=a/**", '6: "{" is not closed'],
    ["/api/{", "7: expected the name of a field"],
    ["/api/{}", "7: expected the name of a field"],
    ["/api/{=*}", "7: expected the name of a field"],
    ["/api/{1a}", "7: expected the name of a field"],
    ["/api/{*}", "7: expected the name of a field"],
    ["/api/{ä}", "7: expected the name of a field"],
    ["/api/{.a}", "7: expected the name of a field"],
    ["/api/{a.}", "9: expected the name of a field"],
    ["/api/{a..b}", "9: expected the name of a field"],
    ["/api/{a.1}", "9: expected the name of a field"],
    ["/api/{a-b}", '8: expected ".", "=" or "}"'],
    ["/api/{a b}", '8: expected ".", "=" or "}"'],
    ["/api/{a/b}", '8: expected ".", "=" or "}"'],
    ["/api/{a:b}", '8: expected ".", "=" or "}"'],
    ["/api/{a=}", "9: expected a segment"],
    ["/api/{a=/b}", "9: expected a segment"],
    ["/api/{a=b/}", "11: expected a segment"],
    ["/api/{a=b//c}", "11: expected a segment"],
    ["/api/{a=b*}", '10: expected "/" or "}"'],
    ["/api/{a=*b}", '10: expected "/" or "}"'],
    ["/api/{a=b:c}", '10: expected "/" or "}"'],
    ["/api/{a={b}}", "9: a variable must not contain another"],
    ["/api/{a=b/{c}}", "11: a variable must not contain another"],
    ["/api/**/things", '9: "**" must be the last segment'],
    ["/api/**/*", '9: "**" must be the last segment'],
    ["/api/**/**", '9: "**" must be the last segment'],
    ["/api/**/{id}", '9: "**" must be the last segment'],
    ["/api/{a=**}/b", '13: "**" must be the last segment'],
    ["/api/{a=**}/{b=**}", '13: "**" must be the last segment'],
    ["/api/{a=**/b}", '12: "**" must be the last segment'],
    ["/api/***", '8: expected "/", ":" or the end'],
    ["/api/*x", '7: expected "/", ":" or the end'],
    ["/api/x*", '7: expected "/", ":" or the end'],
    ["/api/x{id}", '7: expected "/", ":" or the end'],
    ["/api/{id}x", '10: expected "/", ":" or the end'],
    ["/api/{id}{x}", '10: expected "/", ":" or the end'],
    ["/api/{id}}", '10: expected "/", ":" or the end'],
    ["/api?x", '5: expected "/", ":" or the end'],
    ["/api#x", '5: expected "/", ":" or the end'],
    ["/api\\x", '5: expected "/", ":" or the end'],
    ["/api/{id}:", "11: expected a verb up to the end"],
    ["/api:go/things", "6: expected a verb up to the end"],
    ["/api:go:on", "6: expected a verb up to the end"],
    ["/api:*", "6: expected a verb up to the end"],
    ["/api:{id}", "6: expected a verb up to the end"],
    ["/api:%6", '6: "%" must start an escape of UTF-8'],
    ["/api:g%ff", '7: "%" must start an escape of UTF-8'],
    ["/api/a%", '7: "%" must start an escape of UTF-8'],
    ["/api/a%4", '7: "%" must start an escape of UTF-8'],
    ["/api/%zz", '6: "%" must start an escape of UTF-8'],
    ["/api/%ff", '6: "%" must start an escape of UTF-8'],
    ["/api/{a=b/%c3}", '11: "%" must start an escape of UTF-8'],
  ])("%j", (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });
});

describe("a path template consists of segments, variables and a verb", () => {
  const literal = (text: string) => ({ literal: text });
  const variable = (name: string, column: number, start: number, end: number) => ({ name, column, start, end });
  test.each([
    ["/", [], [], ""],
    ["/*", ["*"], [], ""],
    ["/**", ["**"], [], ""],
    ["/{a}", ["*"], [variable("a", 3, 0, 1)], ""],
    ["/{a=*}", ["*"], [variable("a", 3, 0, 1)], ""],
    ["/{a=**}", ["**"], [variable("a", 3, 0, 1)], ""],
    ["/{a=b}", [literal("b")], [variable("a", 3, 0, 1)], ""],
    ["/v1/**:go", [literal("v1"), "**"], [], "go"],
    ["/v1/{id}:a%20b", [literal("v1"), "*"], [variable("id", 6, 1, 2)], "a b"],
    ["/v1:%67%C3%B6%3Ax", [literal("v1")], [], "gö:x"],
    ["/v1/{a=**}:go", [literal("v1"), "**"], [variable("a", 6, 1, 2)], "go"],
    ["/caf%C3%A9/a%2fb/a%3Ab", [literal("café"), literal("a/b"), literal("a:b")], [], ""],
    [
      "/café/.well-known/a=b;c,d@e!$&'()+~_",
      [literal("café"), literal(".well-known"), literal("a=b;c,d@e!$&'()+~_")],
      [],
      "",
    ],
    [
      "/v1/{thing.name=shelves/*/books/*}/parts/{part_id}:archive.now-1",
      [literal("v1"), literal("shelves"), "*", literal("books"), "*", literal("parts"), "*"],
      [variable("thing.name", 6, 1, 5), variable("part_id", 43, 6, 7)],
      "archive.now-1",
    ],
    ["/{a=b/**}", [literal("b"), "**"], [variable("a", 3, 0, 2)], ""],
    ["/{_a1.B_2}", ["*"], [variable("_a1.B_2", 3, 0, 1)], ""],
  ])("%s", (text, segments, variables, verb) => {
    expect(parsePathTemplate(text)).toMatchObject({ text, segments, variables, verb });
  });

  test.each([
    ["/a/{b}", []],
    ["/{a=*/**}", []],
    ["/a/*/{b=*/c}/**", [1, 4]],
  ])("%s has free wildcards", (text, free) => {
    expect(parsePathTemplate(text).free).toEqual(free);
  });
});
