import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type RestClients, refused, restClients } from "./rest.ts";
import { systemRest } from "./system-rest.ts";

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

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

async function newWorkspace(name = "scratch"): Promise<string> {
  const { body } = await as.workspaceAdmin.post("/workspaces", { organizationId: first, name });
  return body.id;
}

describe("POST /workspaces", () => {
  test("201 with the record and its location", async () => {
    const response = await as.workspaceAdmin.post("/workspaces", {
      organization_id: first,
      name: "Blue",
      colour: "ignored",
      owner: stack.demo.users.user.id,
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/workspaces/" + response.body.id);
    expect(response.body).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: "Blue",
      description: "",
      organizationId: first,
      owner: stack.demo.users.workspaceAdmin.id,
      metadata: {},
      createdAt: expect.stringMatching(TIME),
      updatedAt: response.body.createdAt,
      deletedAt: null,
      etag: response.headers.get("etag"),
    });
  });

  test.each<[string, unknown, string]>([
    ["no body", undefined, "400 organizationId is required"],
    ["null", null, "400 organizationId is required"],
    ["an empty organizationId", { organizationId: "" }, "400 organizationId is required"],
    ["no UUID", { organizationId: "first" }, "400 invalid organizationId format"],
    ["a number", { organizationId: 7 }, "400 invalid organizationId format"],
  ])("%s", async (_case, body, expected) => {
    expect(refused(await as.orgAdmin.post("/workspaces", body))).toBe(expected);
  });

  test("a long name or description", async () => {
    for (const field of ["name", "description"]) {
      const response = await as.orgAdmin.post("/workspaces", { organizationId: first, [field]: "x".repeat(256) });
      expect(response.body).toEqual({
        error: "Unable to create workspace",
        code: "WORKSPACE_CREATE_FAILED",
        requestId: expect.any(String),
      });
      expect(response.status).toBe(500);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-type")).toBe("application/json");
    }
  });

  test.each([
    ["user", 403],
    ["teamAdmin", 403],
    ["workspaceAdmin", 201],
    ["orgAdmin", 201],
    ["providerAdmin", 201],
    ["outsider", 403],
    ["anonymous", 401],
  ] as const)("as %s: %d", async (who, status) => {
    const response = await as[who].post("/workspaces", { organizationId: first });
    expect(response.status).toBe(status);
    if (status === 403) {
      expect(refused(response)).toBe('403 permission "Create Workspace" is required');
    }
  });
});

describe("one workspace", () => {
  test("is visible to every member of its organization, and to no other user", async () => {
    const id = await newWorkspace();
    for (const who of ["user", "teamAdmin", "workspaceAdmin", "orgAdmin", "providerAdmin"] as const) {
      expect((await as[who].get("/workspaces/" + id)).body.id).toBe(id);
    }
    expect(refused(await as.outsider.get("/workspaces/" + id))).toBe("404 workspace not found");
    for (const other of [UNKNOWN_ID, "1", "a%2Fb", "%20"]) {
      expect(refused(await as.orgAdmin.get("/workspaces/" + other))).toBe("404 workspace not found");
    }
  });

  test("PUT changes the fields that are sent", async () => {
    const id = await newWorkspace("before");
    const response = await as.orgAdmin.put("/workspaces/" + id, {
      description: "new",
      organizationId: second,
      id: UNKNOWN_ID,
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id, name: "before", description: "new", organizationId: first });
  });

  test.each<[string, unknown]>([
    ["no body", undefined],
    ["null", null],
    ["{}", {}],
    ["only fields that cannot change", { organizationId: UNKNOWN_ID }],
  ])("PUT of %s is refused", async (_case, body) => {
    const response = await as.orgAdmin.put("/workspaces/" + (await newWorkspace()), body);
    expect([response.status, response.body.error]).toEqual([400, "Unable to update workspace"]);
  });

  test("PUT of a long name, without permission, and from outside", async () => {
    const path = "/workspaces/" + (await newWorkspace());
    const long = { name: "x".repeat(256) };
    expect(refused(await as.orgAdmin.put(path, long))).toBe("500 Unable to update workspace");
    expect(refused(await as.user.put(path, long))).toBe('403 permission "Edit Workspace" is required');
    expect(refused(await as.outsider.put(path, long))).toBe("404 workspace not found");
  });

  test("DELETE deletes it, and keeps its log", async () => {
    const id = await newWorkspace("doomed");
    expect(refused(await as.teamAdmin.delete("/workspaces/" + id))).toBe(
      '403 permission "Delete Workspace" is required',
    );
    const response = await as.orgAdmin.delete("/workspaces/" + id);
    expect([response.status, response.body]).toEqual([204, undefined]);
    expect(refused(await as.orgAdmin.delete("/workspaces/" + id))).toBe("404 workspace not found");
    expect((await as.orgAdmin.get("/workspaces?orgId=" + first + "&search=doomed")).body.totalCount).toBe(0);
    const log = await as.user.get("/workspaces/" + id + "/events?order=created_at%20asc");
    expect(log.body).toMatchObject({ page: 0, pageSize: 25, totalCount: 3 });
    expect(log.body.data).toMatchObject([
      { action: "create", severity: "success", owner: stack.demo.users.workspaceAdmin.id, category: "workspace" },
      { action: "delete", severity: "error", owner: stack.demo.users.teamAdmin.id, actedUpon: id },
      { action: "delete", severity: "success", actedUponKind: "workspace", organizationId: first, workspaceId: id },
    ]);
    expect(refused(await as.outsider.get("/workspaces/" + id + "/events"))).toBe("404 workspace not found");
  });

  test("the last one of an organization stays, however many deletions are concurrent", async () => {
    const { body } = await as.outsider.get("/workspaces?orgId=" + second + "&pageSize=100");
    const ids: string[] = body.workspaces.map((workspace: { id: string }) => workspace.id);
    expect(body.workspaces.map((workspace: { name: string }) => workspace.name)).toContain("My Workspace");
    const replies = await Promise.all(ids.map((id) => as.outsider.delete("/workspaces/" + id)));
    expect(replies.filter((response) => response.status === 204)).toHaveLength(ids.length - 1);
    expect(
      refused(replies.find((response) => response.status !== 204) ?? { status: 0, headers: new Headers(), body: {} }),
    ).toBe("500 cannot delete workspace: at least one workspace must exist for the organization");
  });
});

describe("GET /workspaces", () => {
  const FOREIGN = '403 permission "View All Organizations" is required';

  test.each([
    ["", "400 orgId is required"],
    ["?orgId=", "400 orgId is required"],
    ["?orgId=" + UNKNOWN_ID, FOREIGN],
    ["?orgId=x", FOREIGN],
    ["?orgId=all", FOREIGN],
    ["?orgId=11111111-1111-1111-1111-111111111111", FOREIGN],
    ["?orgId=all&orgId=all", "400 orgId must be given once"],
    ["?orgId=all&page=1.5", "400 page must be a whole number"],
    ["?orgId=all&pageSize=many", "400 pageSize must be a whole number"],
    ["?orgId=all&page=-1", "400 page must be a whole number from 0 to 2147483647"],
    ["?orgId=all&order=name", "400 order must be created_at or updated_at, optionally with asc or desc"],
    ["?orgId=all&order=created_at+sideways", "400 order must be created_at or updated_at, optionally with asc or desc"],
  ])("%s", async (query, expected) => {
    expect(refused(await as.orgAdmin.get("/workspaces" + query))).toContain(expected);
  });

  test("pages, in all spellings of older clients", async () => {
    const marker = `page-${stack.demo.users.user.id}-`;
    for (const letter of ["a", "b", "c"]) {
      await newWorkspace(marker + letter);
    }
    const query = "?orgID=" + first + "&search=" + marker.toUpperCase() + "&order=updated_at+desc&pagesize=2&unknown=1";
    const page = await as.user.get("/workspaces" + query);
    expect(page.body).toMatchObject({ page: 0, pageSize: 2, totalCount: 3 });
    expect(page.body.workspaces.map((workspace: { name: string }) => workspace.name)).toEqual([
      marker + "c",
      marker + "b",
    ]);
    const past = await as.user.get("/workspaces" + query + "&page=99");
    expect([past.status, past.body]).toEqual([200, { page: 99, pageSize: 2, totalCount: 3, workspaces: [] }]);
    const large = await as.user.get("/workspaces?orgId=" + first + "&pageSize=99999999999999999999999");
    expect(large.body.pageSize).toBe(100);
  });

  test("all organizations, to a Provider Admin", async () => {
    const name = `everywhere-${stack.demo.users.user.id}`;
    const owner = stack.demo.users.orgAdmin.id;
    for (const organizationId of [first, second]) {
      await systemRest(stack).post("/workspaces", { organizationId, name, owner });
    }
    const { body } = await as.providerAdmin.get(`/workspaces?orgId=all&search=${name}`);
    const organizations = new Set(
      body.workspaces.map((workspace: { organizationId: string }) => workspace.organizationId),
    );
    expect([...organizations].sort()).toEqual([first, second].sort());
  });
});
