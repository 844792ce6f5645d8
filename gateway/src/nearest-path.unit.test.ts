import { describe, expect, test } from "@jest/globals";
import { createNearestPath } from "./nearest-path.ts";

const nearest = createNearestPath([
  "/api/workspaces",
  "/api/workspaces/{id}",
  "/api/workspaces/{id}/teams",
  "/api/workspaces/{id}/teams/{teamId}",
  "/api/workspaces/{id}/events:watch",
  "/api/identity/organizations/{id}",
  "/api/identity/teams",
  "/api/identity/users/profile",
  "/api/docs",
]);
const ID = "018f3b5e-0000-7000-8000-000000000001";

describe("the nearest path", () => {
  test.each([
    ["/api/workspace", "/api/workspaces"],
    ["/api/Workspaces/", "/api/workspaces"],
    ["/workspaces", "/api/workspaces"],
    ["/api/v1/workspaces", "/api/workspaces"],
    ["/api/worksapces/7", "/api/workspaces/{id}"],
    [`/api/workspaces/${ID}/team`, "/api/workspaces/{id}/teams"],
    [`/api/workspaces/${ID}/teams/${ID}/${ID}`, "/api/workspaces/{id}/teams/{teamId}"],
    ["/api/workspaces/mine/teems", "/api/workspaces/{id}/teams"],
    [`/api/workspaces/${ID}/event:watch`, "/api/workspaces/{id}/events:watch"],
    ["/api/teams", "/api/identity/teams"],
    [`/api/organizations/${ID}`, "/api/identity/organizations/{id}"],
    ["/api/identity/profile", "/api/identity/users/profile"],
    ["/api/doc", "/api/docs"],
    ["/api/work", "/api/workspaces"],
  ])("of %s is %s", (path, expected) => {
    expect(nearest(path)).toBe(expected);
  });

  test.each(["", "/nowhere", "/readyz", "/favicon.ico", "/api/secret-path", "/api/a/b/c", "/wp-login.php"])(
    "of %j is none",
    (path) => {
      expect(nearest(path)).toBeUndefined();
    },
  );

  test("is not looked for in long paths", () => {
    expect(nearest(`/api/workspaces${"/".repeat(300)}`)).toBeUndefined();
    expect(nearest(`/api${"/7".repeat(20)}`)).toBeUndefined();
  });
});
