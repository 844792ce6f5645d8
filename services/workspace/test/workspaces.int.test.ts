import { refusal } from "@cloud/access/testing";
import { newId } from "@cloud/access/values";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const LONG = "x".repeat(256);
const DENIED = (key: string) => '403 PERMISSION_DENIED: permission "' + key + '" is required';
const NOT_FOUND = "404 WORKSPACE_NOT_FOUND: workspace not found";

describe("createWorkspace", () => {
  test.each([
    ["no organization", { organizationId: "" }, "400 ORGANIZATION_ID_REQUIRED: organization_id is required"],
    ["no uuid", { organizationId: "home" }, "400 ORGANIZATION_ID_INVALID: invalid organization_id format"],
  ])("%s", async (_case, request, expected) => {
    expect(await refusal(f.admin.workspaces.createWorkspace(request))).toBe(expected);
  });

  test("the permission is checked before the rules", async () => {
    const request = { organizationId: f.identity.home, name: LONG };
    expect(await refusal(f.member.workspaces.createWorkspace(request))).toBe(DENIED("Create Workspace"));
    expect(await refusal(f.outsider.workspaces.createWorkspace(request))).toBe(DENIED("Create Workspace"));
    expect(await refusal(f.stranger.workspaces.createWorkspace(request))).toMatch(/^401 UNAUTHENTICATED/);
    expect(await refusal(f.admin.workspaces.createWorkspace(request))).toBe(
      "500 WORKSPACE_CREATE_FAILED: Unable to create workspace",
    );
    expect(await refusal(f.admin.workspaces.createWorkspace({ ...request, name: "", description: LONG }))).toBe(
      "500 WORKSPACE_CREATE_FAILED: Unable to create workspace",
    );
  });

  test("an unknown organization is refused to a provider admin and to a service", async () => {
    const request = { organizationId: newId() };
    expect(await refusal(f.provider.workspaces.createWorkspace(request))).toBe(DENIED("Create Workspace"));
    expect(await refusal(f.service.workspaces.createWorkspace(request))).toBe(
      "404 ORGANIZATION_NOT_FOUND: organization not found",
    );
  });

  test("returns the record; name and description are optional; lengths are in characters, not bytes", async () => {
    const name = "🎈".repeat(255);
    const { workspace } = await f.admin.workspaces.createWorkspace({ organizationId: f.identity.home, name });
    expect(workspace).toMatchObject({
      name,
      description: "",
      organizationId: f.identity.home,
      owner: f.identity.users.admin,
      metadata: {},
    });
    expect(workspace?.deletedAt).toBeUndefined();
    expect(workspace?.createdAt).toEqual(workspace?.updatedAt);
    expect(await logOf(f.admin, workspace?.id ?? "")).toEqual(["create workspace success"]);
  });

  test("a service names the owner; a user cannot", async () => {
    const organizationId = f.identity.home;
    const owner = f.identity.users.member;
    const byService = await f.service.workspaces.createWorkspace({ organizationId, owner });
    const byUser = await f.admin.workspaces.createWorkspace({ organizationId, owner });
    expect(byService.workspace?.owner).toBe(owner);
    expect(byUser.workspace?.owner).toBe(f.identity.users.admin);
  });
});

describe("getWorkspace", () => {
  test("returns it to members only", async () => {
    const { id } = await newWorkspace(f.admin, f.identity.home);
    for (const clients of [f.admin, f.member, f.provider, f.service]) {
      expect((await clients.workspaces.getWorkspace({ id })).workspace?.id).toBe(id);
    }
    expect(await refusal(f.outsider.workspaces.getWorkspace({ id }))).toBe(NOT_FOUND);
    for (const malformed of ["", "1", "../x", newId()]) {
      expect(await refusal(f.admin.workspaces.getWorkspace({ id: malformed }))).toBe(NOT_FOUND);
    }
  });
});

describe("updateWorkspace", () => {
  test("updates only the fields that are sent", async () => {
    const { id } = await newWorkspace(f.admin, f.identity.home, "before");
    await f.admin.workspaces.updateWorkspace({ id, description: "kept" });
    const { workspace } = await f.admin.workspaces.updateWorkspace({ id, name: "" });
    expect(workspace).toMatchObject({ name: "", description: "kept" });
    expect(await logOf(f.member, id)).toEqual([
      "create workspace success",
      "update workspace success",
      "update workspace success",
    ]);
  });

  test("refusals, in the order of the checks, each with its error event", async () => {
    const { id } = await newWorkspace(f.admin, f.identity.home);
    expect(await refusal(f.outsider.workspaces.updateWorkspace({ id }))).toBe(
      "400 WORKSPACE_UPDATE_EMPTY: Unable to update workspace",
    );
    expect(await refusal(f.outsider.workspaces.updateWorkspace({ id, name: LONG }))).toBe(NOT_FOUND);
    expect(await refusal(f.member.workspaces.updateWorkspace({ id }))).toBe(
      "400 WORKSPACE_UPDATE_EMPTY: Unable to update workspace",
    );
    expect(await refusal(f.member.workspaces.updateWorkspace({ id, name: LONG }))).toBe(DENIED("Edit Workspace"));
    expect(await refusal(f.admin.workspaces.updateWorkspace({ id, name: LONG }))).toBe(
      "500 WORKSPACE_UPDATE_FAILED: Unable to update workspace",
    );
    expect(await logOf(f.admin, id)).toEqual([
      "create workspace success",
      "update workspace error",
      "update workspace error",
      "update workspace error",
    ]);
    const { data } = await f.admin.workspaces.listWorkspaceEvents({ id, search: "permission", pageSize: 1n });
    expect(data).toMatchObject([
      {
        category: "workspace",
        owner: f.identity.users.member,
        description: 'Failed to update the workspace: permission "Edit Workspace" is required',
        metadata: { code: "PERMISSION_DENIED" },
      },
    ]);
  });
});

describe("deleteWorkspace", () => {
  test("the last one stays, and its log contains the refusal", async () => {
    const organizationId = newId();
    f.identity.organizations.set(organizationId, f.identity.users.provider);
    const { workspaces } = await f.provider.workspaces.listWorkspaces({ orgId: organizationId });
    expect(workspaces.map((workspace) => workspace.name)).toEqual(["My Workspace"]);
    const id = workspaces[0]?.id ?? "";
    expect(await refusal(f.provider.workspaces.deleteWorkspace({ id }))).toBe(
      "500 LAST_WORKSPACE: cannot delete workspace: at least one workspace must exist for the organization",
    );
    expect(await logOf(f.provider, id)).toEqual(["create workspace success", "delete workspace error"]);
  });

  test("a deleted one is in no reply but that of its log", async () => {
    const { id } = await newWorkspace(f.admin, f.identity.home, "to be deleted");
    expect(await refusal(f.member.workspaces.deleteWorkspace({ id }))).toBe(DENIED("Delete Workspace"));
    await f.admin.workspaces.deleteWorkspace({ id });
    expect(await refusal(f.admin.workspaces.getWorkspace({ id }))).toBe(NOT_FOUND);
    expect(await refusal(f.admin.workspaces.deleteWorkspace({ id }))).toBe(NOT_FOUND);
    expect(await refusal(f.admin.workspaces.listWorkspaceTeams({ id }))).toBe(NOT_FOUND);
    const { totalCount } = await f.admin.workspaces.listWorkspaces({ orgId: f.identity.home, search: "to be deleted" });
    expect(totalCount).toBe(0);
    expect(await logOf(f.member, id)).toEqual([
      "create workspace success",
      "delete workspace error",
      "delete workspace success",
    ]);
    expect(await refusal(f.outsider.workspaces.listWorkspaceEvents({ id }))).toBe(NOT_FOUND);
    expect((await f.service.directory.batchGetWorkspaces({ ids: [id, "x"] })).workspaces).toEqual([]);
  });
});

describe("listWorkspaces", () => {
  const FOREIGN = DENIED("View All Organizations");

  test.each([
    ["orgId missing", {}, "400 ORG_ID_REQUIRED: org_id is required"],
    ["orgId malformed", { orgId: "home" }, FOREIGN],
    ["orgId foreign", { orgId: newId() }, FOREIGN],
    ["all", { orgId: "all" }, FOREIGN],
    ["all, as older clients send it", { orgId: "11111111-1111-1111-1111-111111111111" }, FOREIGN],
    [
      "order",
      { orgId: "all", order: "name" },
      "400 INVALID_PARAMETER: order must be created_at or updated_at, optionally with asc or desc",
    ],
    ["page", { orgId: "all", page: -1n }, "400 INVALID_PARAMETER: page must be a whole number from 0 to 2147483647"],
    [
      "pageSize",
      { orgId: "all", pageSize: -1n },
      "400 INVALID_PARAMETER: page_size must be a whole number from 0, which means the default of 25",
    ],
  ])("refuses: %s", async (_case, request, expected) => {
    expect(await refusal(f.admin.workspaces.listWorkspaces(request))).toBe(expected);
  });

  test("pages, searches and orders", async () => {
    const marker = "list-" + newId();
    for (const name of ["a", "b", "c"]) {
      await newWorkspace(f.admin, f.identity.home, marker + " 100%_" + name);
    }
    const list = async (request: object) => {
      const reply = await f.member.workspaces.listWorkspaces({ orgId: f.identity.home, search: marker, ...request });
      return [reply.totalCount, reply.pageSize, reply.workspaces.map((workspace) => workspace.name.at(-1)).join("")];
    };
    expect(await list({})).toEqual([3, 25, "cba"]);
    expect(await list({ order: "createdAt asc" })).toEqual([3, 25, "abc"]);
    expect(await list({ order: "updated_at DESC", pageSize: 2n })).toEqual([3, 2, "cb"]);
    expect(await list({ pageSize: 2n, page: 1n })).toEqual([3, 2, "a"]);
    expect(await list({ pageSize: 1000n, page: 9n })).toEqual([3, 100, ""]);
    expect(await list({ search: marker.toUpperCase() + " 100%_B" })).toEqual([1, 25, "b"]);
    expect(await list({ search: "100%%" })).toEqual([0, 25, ""]);
  });

  test("all organizations include the My Workspace of one whose creation event has not arrived", async () => {
    const fresh = [newId(), newId()];
    for (const id of fresh) f.identity.organizations.set(id, f.identity.users.admin);
    const [first, second] = await Promise.all([1, 2].map(listAllOfFresh));
    const expected = { name: "My Workspace", owner: f.identity.users.admin };
    expect(first).toMatchObject([expected, expected]);
    expect(second).toEqual(first);

    async function listAllOfFresh() {
      const { workspaces } = await f.provider.workspaces.listWorkspaces({ orgId: "all", pageSize: 100n });
      return workspaces.filter((workspace) => fresh.includes(workspace.organizationId as (typeof fresh)[number]));
    }
  });

  test("all organizations, to callers with the permission, exclude one that identity has just deleted", async () => {
    const doomed = newId();
    f.identity.organizations.set(doomed, "");
    const { id } = await newWorkspace(f.service, doomed);
    const all = async () => {
      const reply = await f.provider.workspaces.listWorkspaces({ orgId: "ALL", pageSize: 100n });
      return reply.workspaces.map((workspace) => workspace.id);
    };
    expect(await all()).toContain(id);
    f.identity.organizations.delete(doomed);
    expect(await all()).not.toContain(id);
    expect(await refusal(f.provider.workspaces.listWorkspaces({ orgId: doomed }))).toBe(
      "404 ORGANIZATION_NOT_FOUND: organization not found",
    );
  });
});
