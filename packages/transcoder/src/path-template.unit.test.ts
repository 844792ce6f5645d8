import { describe, expect, test } from "@jest/globals";
import { parsePathTemplate } from "./path-template.ts";

describe("parsePathTemplate", () => {
  test.each([
    ["", 'path template "", column 1: expected "/"'],
    ["api/things", 'path template "api/things", column 1: expected "/"'],
    ["/", 'path template "/", column 2: expected a segment'],
    ["/api/", 'path template "/api/", column 6: expected a segment'],
    ["/api//things", 'path template "/api//things", column 6: expected a segment'],
    ["/api/{id", 'path template "/api/{id", column 6: "{" is not closed'],
    ["/api/{}", 'path template "/api/{}", column 6: a variable must be "{field}" or "{field=*}"'],
    ["/api/{id=**}", 'path template "/api/{id=**}", column 6: a variable must be "{field}" or "{field=*}"'],
    ["/api/{a=b/*}", 'path template "/api/{a=b/*}", column 6: a variable must be "{field}" or "{field=*}"'],
    ["/api/*", 'path template "/api/*", column 6: a wildcard must be bound to a field'],
    ["/api/{id}x", 'path template "/api/{id}x", column 10: expected "/", ":" or the end'],
    ["/api/{id}:", 'path template "/api/{id}:", column 11: expected a verb up to the end'],
    ["/api:go/things", 'path template "/api:go/things", column 6: expected a verb up to the end'],
    ["/api?x", 'path template "/api?x", column 5: expected "/", ":" or the end'],
  ])("%j is refused", (text, message) => {
    expect(() => parsePathTemplate(text)).toThrow(new Error(message));
  });

  test("separates literals, variables and a verb", () => {
    expect(parsePathTemplate("/api/things/{thing.id=*}/parts/{part_id}:archive")).toEqual({
      text: "/api/things/{thing.id=*}/parts/{part_id}:archive",
      segments: [
        { literal: "api" },
        { literal: "things" },
        { variable: "thing.id" },
        { literal: "parts" },
        { variable: "part_id" },
      ],
      verb: "archive",
    });
  });
});
