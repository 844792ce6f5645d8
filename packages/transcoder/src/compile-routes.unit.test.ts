import { describe, expect, test } from "@jest/globals";
import { routesFor, ruleFor } from "../test/routes.ts";
import type { HttpRule } from "./http-rule.ts";

const GET = "workspace.v1.WorkspaceService.GetWorkspace";
const LIST = "workspace.v1.WorkspaceService.ListWorkspaceDesigns";

describe("compileRoutes refuses", () => {
  test.each<[string, string, HttpRule, string]>([
    [
      "no pattern",
      "GetWorkspace",
      { ...ruleFor("GET /a"), pattern: { case: undefined } },
      `${GET}: the rule has no pattern`,
    ],
    ["a broken template", "GetWorkspace", ruleFor("GET /{"), `${GET}: path template "/{", column 2: "{" is not closed`],
    ["any method", "GetWorkspace", ruleFor("* /a"), `${GET}: "*" is not an HTTP method`],
    [
      "an unknown variable",
      "GetWorkspace",
      ruleFor("GET /{no}"),
      `${GET}: path variable "no" is no field of workspace.v1.GetWorkspaceRequest`,
    ],
    [
      "a variable by its JSON name",
      "ListWorkspaceDesigns",
      ruleFor("GET /{pageSize}"),
      `${LIST}: path variable "pageSize" is no field of workspace.v1.ListWorkspaceDesignsRequest`,
    ],
    [
      "a message variable",
      "ListWorkspaceDesigns",
      ruleFor("GET /{filter}"),
      `${LIST}: path variable "filter" must be a singular scalar or enum, not a message`,
    ],
    [
      "a list variable",
      "ListWorkspaceDesigns",
      ruleFor("GET /{visibility}"),
      `${LIST}: path variable "visibility" must be a singular scalar or enum, not a list`,
    ],
    ["a variable twice", "GetWorkspace", ruleFor("GET /{id}/{id}"), `${GET}: path variable "id" is given twice`],
    [
      "an unknown body",
      "GetWorkspace",
      ruleFor("POST /a", { body: "no" }),
      `${GET}: body "no" is no field of workspace.v1.GetWorkspaceRequest`,
    ],
    ["a body of GET", "GetWorkspace", ruleFor("GET /a", { body: "*" }), `${GET}: GET takes no body`],
    [
      "a field in path and body",
      "GetWorkspace",
      ruleFor("PUT /{id}", { body: "id" }),
      `${GET}: field "id" is bound by both path and body`,
    ],
    [
      "an unknown response body",
      "GetWorkspace",
      ruleFor("GET /a", { responseBody: "no" }),
      `${GET}: response body "no" is no field of workspace.v1.GetWorkspaceResponse`,
    ],
    [
      "nested additional bindings",
      "GetWorkspace",
      ruleFor("GET /a", { additionalBindings: [ruleFor("GET /b", { additionalBindings: [ruleFor("GET /c")] })] }),
      `${GET}: additional bindings must not be nested`,
    ],
  ])("%s", (_, method, rule, message) => {
    expect(() => routesFor({ [method]: rule })).toThrow(new Error(message));
  });
});

test("every binding becomes a route, and methods without a rule none", () => {
  const rule = ruleFor("GET /a/{id=*}", { responseBody: "workspace", additionalBindings: [ruleFor("HEAD /b/{id}")] });
  const routes = routesFor({ GetWorkspace: rule });
  expect(routes.map(({ httpMethod, template }) => `${httpMethod} ${template.text}`)).toEqual([
    "GET /a/{id=*}",
    "HEAD /b/{id}",
  ]);
  expect(routes[0]?.responseField?.name).toBe("workspace");
});
