import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { waitFor } from "@cloud/testkit";
import { beforeAll, expect, test } from "@jest/globals";
import { type RestClients, refused, restClients, restFor } from "./rest.ts";

let stack: TestStack;
let as: RestClients;
let first: string;
let second: string;
beforeAll(async () => {
  stack = await joinTestStack();
  as = restClients(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
  second = stack.demo.organizations[1]?.id ?? "";
});

const PROFILE = "/identity/users/profile";
const PREFERENCES = "/identity/users/preferences";

test("the profile of each role", async () => {
  const roles = {
    user: "User",
    teamAdmin: "Team Admin",
    workspaceAdmin: "Workspace Admin",
    orgAdmin: "Org Admin",
    providerAdmin: "Provider Admin",
  } as const;
  for (const [who, role] of Object.entries(roles) as [keyof typeof roles, string][]) {
    const { body } = await as[who].get(PROFILE);
    const { id } = stack.demo.users[who];
    expect(body).toMatchObject({ id, userId: id, roleNames: [role], currentOrganization: first, status: "active" });
    expect(body.organizations).toMatchObject({
      totalCount: 1,
      organizationsWithRoles: [{ id: first, roleNames: [role] }],
    });
    expect(body.preferences).toMatchObject({ selectedOrganization: "", selectedWorkspace: "" });
  }
});

test("a deleted workspace is no longer selected", async () => {
  const { body: workspace } = await as.orgAdmin.post("/workspaces", { organizationId: first });
  const selected = await as.orgAdmin.put(PREFERENCES, { selectedOrganization: first, selectedWorkspace: workspace.id });
  expect(selected.status).toBe(200);
  expect(selected.body).toMatchObject({ selectedOrganization: first, selectedWorkspace: workspace.id });
  await as.orgAdmin.delete("/workspaces/" + workspace.id);
  await waitFor(
    async () => ((await as.orgAdmin.get(PROFILE)).body.preferences.selectedWorkspace === "" ? true : undefined),
    { deadlineMs: 30_000 },
  );
  expect((await as.orgAdmin.get(PROFILE)).body.preferences.selectedOrganization).toBe(first);
  expect(refused(await as.orgAdmin.put(PREFERENCES, { selectedWorkspace: workspace.id }))).toBe(
    "404 workspace not found",
  );
  expect(refused(await as.orgAdmin.put(PREFERENCES, { selectedOrganization: second }))).toBe(
    "404 organization not found",
  );
});

test("the header names the organization of the call; a foreign one is ignored", async () => {
  const { body: third } = await as.teamAdmin.post("/identity/organizations", { name: "Side project" });
  const profile = async (header?: string) =>
    (await as.teamAdmin.send(PROFILE, header === undefined ? {} : { headers: { "service-current-orgid": header } }))
      .body;
  expect(await profile()).toMatchObject({ currentOrganization: "", roleNames: [] });
  expect(await profile(third.id)).toMatchObject({ currentOrganization: third.id, roleNames: ["Org Admin"] });
  expect(await profile(second)).toMatchObject({ currentOrganization: "" });
  await as.teamAdmin.put(PREFERENCES, { selectedOrganization: first });
  expect(await profile()).toMatchObject({ currentOrganization: first, roleNames: ["Team Admin"] });
  expect(await profile(third.id)).toMatchObject({ currentOrganization: third.id });
});

test("the location of a created invitation is that of its record", async () => {
  const request = { userId: stack.demo.users.outsider.id, roleNames: ["User"] };
  const { status, headers, body } = await as.orgAdmin.post(`/identity/organizations/${first}/invitations`, request);
  expect([status, headers.get("location")]).toEqual([
    201,
    `/api/identity/organizations/${first}/invitations/${body.id}`,
  ]);
  const path = headers.get("location")?.slice("/api".length) ?? "";
  expect(await as.orgAdmin.get(path)).toMatchObject({ status: 200, body });
  expect(await as.outsider.get("/identity/invitations/" + body.id)).toMatchObject({ status: 200, body });
  expect(refused(await as.outsider.get(path))).toBe("404 organization not found");
});

test("a token is shown once, works immediately, and is refused right after it was revoked", async () => {
  const created = await as.user.post("/identity/tokens", { name: "laptop" });
  expect(created.status).toBe(201);
  expect(created.headers.get("location")).toBe("/api/identity/tokens/" + created.body.token.id);
  const laptop = restFor(stack.demo, created.body.secret);
  expect((await laptop.get("/workspaces?orgId=" + first)).status).toBe(200);
  const listed = await as.user.get("/identity/tokens");
  expect(JSON.stringify(listed.body)).not.toContain(created.body.secret);
  expect((await as.user.delete("/identity/tokens/" + created.body.token.id)).status).toBe(204);
  for (const path of ["/workspaces?orgId=" + first, "/environments?orgId=" + first, PROFILE]) {
    const response = await laptop.get(path);
    expect([refused(response), response.headers.get("www-authenticate")]).toEqual([
      "401 a valid security token is required",
      "Bearer",
    ]);
  }
});

test("a removed role is missing in the next request", async () => {
  const member = "/identity/organizations/" + first + "/members/" + stack.demo.users.workspaceAdmin.id;
  expect((await as.orgAdmin.put(member, { roleNames: ["User"] })).status).toBe(200);
  expect((await as.workspaceAdmin.post("/workspaces", { organizationId: first })).status).toBe(403);
  await as.orgAdmin.put(member, { roleNames: ["User", "Workspace Admin"] });
  expect((await as.workspaceAdmin.post("/workspaces", { organizationId: first })).status).toBe(201);
});

test.each(["/academy/cirricula", "/academy/curricula"])("GET %s counts registrations", async (path) => {
  const { status, body } = await as.user.get(path);
  expect(status).toBe(200);
  expect(body.total).toBe(body.data.length);
  expect(body.data.length).toBeGreaterThan(0);
  for (const curriculum of body.data) {
    expect(Number.isInteger(curriculum.registration_count)).toBe(true);
    expect(curriculum.orgId).toBe(first);
  }
  expect(Math.max(...body.data.map((one: { registration_count: number }) => one.registration_count))).toBeGreaterThan(
    0,
  );
});
