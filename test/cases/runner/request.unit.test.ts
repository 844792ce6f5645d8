import { describe, expect, test } from "@jest/globals";
import { deriveRestRequest } from "./derive-rest-request.ts";
import { fillIn } from "./fill-in.ts";
import { findMethod } from "./find-method.ts";

describe("fillIn", () => {
  const variables = new Map([
    ["w", "1"],
    ["first", "one"],
  ]);

  const hole = (name: string) => "$" + "{" + name + "}";

  test.each(["$v", "a " + hole("v")])("%j is an unknown variable", (text) => {
    expect(() => fillIn({ id: [text] }, variables)).toThrow(new Error('no variable "v"; there are w, first'));
  });

  test("replaces whole texts and holes, at any depth, and leaves keys and other dollars", () => {
    const value = { $w: "$w", list: [hole("first") + "-" + hole("w"), 3, null, true], price: "$ 5", none: "a$w" };
    expect(fillIn(value, variables)).toEqual({ $w: "1", list: ["one-1", 3, null, true], price: "$ 5", none: "a$w" });
  });
});

describe("deriveRestRequest", () => {
  const workspace = (name: string) => findMethod(`workspace.v1.WorkspaceService/${name}`);

  test("refuses a method without a REST form, a request without a path variable, and an unknown RPC", () => {
    expect(() => deriveRestRequest(findMethod("environment.v1.EnvironmentService/ProvisionEnvironment"), {})).toThrow(
      'ProvisionEnvironment has no REST form; write "only: rpc"',
    );
    expect(() => deriveRestRequest(workspace("AssignTeam"), { id: "1" })).toThrow(
      "the request lacks teamId, which the path needs",
    );
    expect(() => workspace("AssignTeems")).toThrow('no RPC is named "workspace.v1.WorkspaceService/AssignTeems"');
  });

  test("puts the rest into the body if the rule requires it", () => {
    expect(deriveRestRequest(workspace("UpdateWorkspace"), { id: "a/b", name: "n" })).toEqual({
      method: "PUT",
      path: "/workspaces/a%2Fb",
      body: { name: "n" },
    });
    expect(deriveRestRequest(workspace("UpdateWorkspace"), { id: "1" }).body).toEqual({});
  });

  test("otherwise into the query: lists repeated, messages as JSON", () => {
    const request = { id: "1", filter: { assigned: false }, visibility: ["private", "public"], search: "a&b" };
    expect(deriveRestRequest(workspace("ListWorkspaceDesigns"), request)).toEqual({
      method: "GET",
      path: "/workspaces/1/designs?filter=%7B%22assigned%22%3Afalse%7D&visibility=private&visibility=public&search=a%26b",
    });
    expect(deriveRestRequest(workspace("AssignTeam"), { id: "1", teamId: "2" })).toEqual({
      method: "POST",
      path: "/workspaces/1/teams/2",
    });
  });
});
