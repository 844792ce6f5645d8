import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { routesFor, ruleFor } from "../test/routes.ts";
import { cutTarget } from "./request-target.ts";
import { createRouteTable } from "./route-table.ts";

const RULES = {
  ListWorkspaces: ruleFor("GET /api/things"),
  CreateWorkspace: ruleFor("POST /api/things"),
  GetWorkspace: ruleFor("GET /api/things/{id}"),
  DeleteWorkspace: ruleFor("DELETE /api/things/{id}"),
  ListWorkspaceTeams: ruleFor("GET /api/things/mine"),
  UpdateWorkspace: ruleFor("POST /api/things/{id}:archive"),
  AssignTeam: ruleFor("POST /api/things/{id}/teams/{team_id}"),
};
const table = createRouteTable(routesFor(RULES));
const find = (method: string, target: string) => {
  const { route, values } = table.match(method, cutTarget(target));
  return [route.method.name, ...values];
};
const failure = (method: string, target: string) => {
  try {
    return find(method, target);
  } catch (error) {
    return error;
  }
};

describe("a route table refuses", () => {
  test.each([
    ["GET", "*"],
    ["GET", "/"],
    ["GET", "/api"],
    ["GET", "/api//things"],
    ["GET", "/API/things"],
    ["GET", "/api/things//"],
    ["GET", "/api/things/a/b"],
    ["POST", "/api/things//teams/x"],
    ["POST", "/api/things%2Fx"],
    ["GET", "/api/things:"],
    ["GET", "/api/things:archive"],
  ])("%s %s: unknown", (method, target) => {
    expect(failure(method, target)).toMatchObject({ kind: "route-not-found", message: "no such path" });
  });

  test.each([
    ["PATCH", "/api/things", ["GET", "HEAD", "POST"]],
    ["PUT", "/api/things/a", ["DELETE", "GET", "HEAD"]],
    ["PUT", "/api/things/mine", ["DELETE", "GET", "HEAD"]],
    ["GET", "/api/things/a/teams/b", ["POST"]],
    ["get", "/api/things", ["GET", "HEAD", "POST"]],
  ])("%s %s: another method", (method, target, allow) => {
    expect(failure(method, target)).toMatchObject({ kind: "method-not-allowed", detail: { allow } });
  });

  test("a malformed escape where nothing matches", () => {
    expect(failure("GET", "/nowhere/%zz")).toMatchObject({ kind: "invalid-path" });
  });

  test("routes that match the same requests, at start-up", () => {
    const rules = { GetWorkspace: ruleFor("GET /a/{id}"), AssignTeam: ruleFor("GET /a/{team_id=*}") };
    expect(() => createRouteTable(routesFor(rules))).toThrow(
      new Error(
        "duplicate route GET /a/{}: workspace.v1.WorkspaceService.GetWorkspace and workspace.v1.WorkspaceService.AssignTeam",
      ),
    );
  });
});

describe("a route table finds", () => {
  test.each([
    ["GET", "/api/things", ["ListWorkspaces"]],
    ["HEAD", "/api/things?x=y", ["ListWorkspaces"]],
    ["GET", "/api/things/", ["ListWorkspaces"]],
    ["GET", "http://host:80/api/things?q", ["ListWorkspaces"]],
    ["GET", "/api/th%69ngs/mine", ["ListWorkspaceTeams"]],
    ["DELETE", "/api/things/mine", ["DeleteWorkspace", "mine"]],
    ["GET", "/api/things/a%2Fb", ["GetWorkspace", "a/b"]],
    ["GET", "/api/things/..", ["GetWorkspace", ".."]],
    ["GET", "/api/things/a%2fteams", ["GetWorkspace", "a/teams"]],
    ["POST", "/api/things/a:archive", ["UpdateWorkspace", "a"]],
    ["GET", "/api/things/a:archive", ["GetWorkspace", "a:archive"]],
    ["GET", "/api/things/a:", ["GetWorkspace", "a:"]],
    ["GET", "/api/things/:archive", ["GetWorkspace", ":archive"]],
    ["GET", "/api/things/%C3%A4", ["GetWorkspace", "ä"]],
    ["GET", "/api/things/\u00c3\u00a4", ["GetWorkspace", "ä"]],
    ["GET", "/api/things/%zz", ["GetWorkspace", undefined]],
    ["GET", "/api/things/%ff", ["GetWorkspace", undefined]],
    ["POST", "/api/things/a+b/teams/c%20d", ["AssignTeam", "a+b", "c d"]],
  ])("%s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });

  test("any percent-encoded text is decoded from a segment", () => {
    const text = fc.string({ unit: "binary", minLength: 1 }).filter((one) => one.isWellFormed());
    fc.assert(
      fc.property(text, text, (id, team) => {
        const target = `/api/things/${encodeURIComponent(id)}/teams/${encodeURIComponent(team)}`;
        expect(find("POST", target)).toEqual(["AssignTeam", id, team]);
      }),
    );
  });
});
