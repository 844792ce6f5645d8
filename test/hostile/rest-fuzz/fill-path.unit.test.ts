import { expect, test } from "@jest/globals";
import { fillPath } from "./fill-path.ts";

test.each([
  ["/api/workspaces", "/api/workspaces"],
  ["/api/workspaces/{id}/teams/{teamId}", "/api/workspaces/<workspaces id>/teams/<teams teamId>"],
  ["/api/identity/invitations/{id}:accept", "/api/identity/invitations/<invitations id>:accept"],
])("%s", (path, filled) => {
  expect(fillPath(path, (variable, collection) => `<${collection} ${variable}>`)).toBe(filled);
});
