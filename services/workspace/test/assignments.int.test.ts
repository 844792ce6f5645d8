import { refusal } from "@cloud/access/testing";
import { newId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { present } from "@cloud/service/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

/** The calls that create, assign, remove and list each kind, so that one set of cases covers all four. */
const kinds = {
  team: {
    create: async (organizationId: string) => f.identity.addTeam(organizationId as typeof f.identity.home),
    assign: (as: "admin" | "member" | "outsider", id: string, teamId: string) =>
      f[as].workspaces.assignTeam({ id, teamId }),
    remove: (as: "admin" | "member" | "outsider", id: string, teamId: string) =>
      f[as].workspaces.removeTeam({ id, teamId }),
    list: async (id: string, assigned: boolean) =>
      (await f.member.workspaces.listWorkspaceTeams({ id, filter: { assigned } })).teams.map((team) => team.id),
    keys: ["Assign team to workspace", "Remove team from workspace"],
    foreign: "403 TEAM_IN_OTHER_ORGANIZATION: unable to add team to workspace",
  },
  environment: {
    create: async (organizationId: string) => f.environment.addEnvironment(organizationId as typeof f.identity.home),
    assign: (as: "admin" | "member" | "outsider", id: string, environmentId: string) =>
      f[as].workspaces.assignEnvironment({ id, environmentId }),
    remove: (as: "admin" | "member" | "outsider", id: string, environmentId: string) =>
      f[as].workspaces.removeEnvironment({ id, environmentId }),
    list: async (id: string, assigned: boolean) =>
      (await f.member.workspaces.listWorkspaceEnvironments({ id, filter: { assigned } })).environments.map(
        (environment) => environment.id,
      ),
    keys: ["Assign environment to workspace", "Remove environment from workspace"],
    foreign: "403 ENVIRONMENT_IN_OTHER_ORGANIZATION: unable to add environment to workspace",
  },
  design: {
    create: async (organizationId: string) =>
      (await f.service.designs.createDesign({ organizationId, owner: f.identity.users.member })).design?.id ?? "",
    assign: (as: "admin" | "member" | "outsider", id: string, designId: string) =>
      f[as].workspaces.assignDesign({ id, designId }),
    remove: (as: "admin" | "member" | "outsider", id: string, designId: string) =>
      f[as].workspaces.removeDesign({ id, designId }),
    list: async (id: string, assigned: boolean) =>
      (await f.member.workspaces.listWorkspaceDesigns({ id, filter: { assigned } })).designs.map((design) => design.id),
    keys: ["Assign Designs to Workspaces", "Remove Designs from Workspaces"],
    foreign: "403 DESIGN_IN_OTHER_ORGANIZATION: unable to add design to workspace",
  },
  view: {
    create: async (organizationId: string) => (await f.service.views.createView({ organizationId })).view?.id ?? "",
    assign: (as: "admin" | "member" | "outsider", id: string, viewId: string) =>
      f[as].workspaces.assignView({ id, viewId }),
    remove: (as: "admin" | "member" | "outsider", id: string, viewId: string) =>
      f[as].workspaces.removeView({ id, viewId }),
    list: async (id: string, assigned: boolean) =>
      (await f.member.workspaces.listWorkspaceViews({ id, filter: { assigned } })).views.map((view) => view.id),
    keys: ["Assign Views to Workspace", "Unassign Views from Workspace"],
    foreign: "403 VIEW_IN_OTHER_ORGANIZATION: unable to add view to workspace",
  },
} as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("a workspace's %s", (name) => {
  const kind = kinds[name];
  const upper = name.toUpperCase();

  test("is assigned once, however often it is requested; is removed once; is listed accordingly", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const resource = await kind.create(f.identity.home);
    const { assignment: first } = await kind.assign("admin", workspace.id, resource);
    const { assignment: second } = await kind.assign("admin", workspace.id, resource.toUpperCase());
    expect(first).toMatchObject({ workspaceId: workspace.id, [name + "Id"]: resource });
    expect(second).toEqual(first);
    expect(await kind.list(workspace.id, true)).toEqual([resource]);
    expect(await kind.list(workspace.id, false)).not.toContain(resource);

    await kind.remove("admin", workspace.id, resource);
    expect(await kind.list(workspace.id, true)).toEqual([]);
    expect(await kind.list(workspace.id, false)).toContain(resource);
    expect(await refusal(kind.remove("admin", workspace.id, resource))).toBe(
      "404 " + upper + "_ASSIGNMENT_NOT_FOUND: no such " + name + " assignment",
    );
    expect(await logOf(f.admin, workspace.id)).toEqual([
      "create workspace success",
      "assign " + name + " success",
      "assign " + name + " success",
      "unassign " + name + " success",
      "unassign " + name + " error",
    ]);
  });

  test("is refused in the order of the checks", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const foreign = await kind.create(f.identity.abroad);
    const [assignKey, removeKey] = kind.keys;
    const notFound = "404 WORKSPACE_NOT_FOUND: workspace not found";
    expect(await refusal(kind.assign("outsider", workspace.id, "x"))).toBe(notFound);
    expect(await refusal(kind.remove("outsider", workspace.id, "x"))).toBe(notFound);
    expect(await refusal(kind.assign("member", workspace.id, "x"))).toBe(
      '403 PERMISSION_DENIED: permission "' + assignKey + '" is required',
    );
    expect(await refusal(kind.remove("member", workspace.id, "x"))).toBe(
      '403 PERMISSION_DENIED: permission "' + removeKey + '" is required',
    );
    for (const id of ["x", newId()]) {
      expect(await refusal(kind.assign("admin", workspace.id, id))).toBe(
        "404 " + upper + "_NOT_FOUND: " + name + " not found",
      );
      expect(await refusal(kind.remove("admin", workspace.id, id))).toBe(
        "404 " + upper + "_ASSIGNMENT_NOT_FOUND: no such " + name + " assignment",
      );
    }
    expect(await refusal(kind.assign("admin", workspace.id, foreign))).toBe(kind.foreign);
    expect((await logOf(f.admin, workspace.id)).filter((line) => line.endsWith("error"))).toHaveLength(7);
  });

  test("is unlinked when the workspace is deleted, and stays", async () => {
    const [workspace, other] = [
      await newWorkspace(f.admin, f.identity.home),
      await newWorkspace(f.admin, f.identity.home),
    ];
    const resource = await kind.create(f.identity.home);
    await kind.assign("admin", workspace.id, resource);
    await kind.assign("admin", other.id, resource);
    await f.admin.workspaces.deleteWorkspace({ id: workspace.id });
    const { rows } = await f.db.read(
      statement`
        select workspace_id
        from assignments
        where resource_id = $1`,
      [resource],
    );
    expect(rows).toEqual([{ workspace_id: other.id }]);
  });
});

test("a platform-provisioned environment cannot be attached", async () => {
  const workspace = await newWorkspace(f.admin, f.identity.home);
  const environmentId = f.environment.addEnvironment(f.identity.home, { platformProvisioned: true });
  expect(await refusal(f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId }))).toBe(
    "403 ENVIRONMENT_NOT_ATTACHABLE: this environment is provisioned by the platform and cannot be added to a workspace",
  );
});

describe("designs", () => {
  test("the caller's own design of another organization moves, and is unlinked from its old workspaces", async () => {
    const { abroad, home, designId } = await newDesignAbroad(f.identity.users.provider);
    const { design: before } = await f.outsider.designs.getDesign({ id: designId });
    await f.provider.workspaces.assignDesign({ id: home.id, designId });
    const { design: moved } = await f.admin.designs.getDesign({ id: designId });
    expect([before?.organizationId, moved?.organizationId]).toEqual([f.identity.abroad, f.identity.home]);
    expect(moved?.etag).not.toBe(before?.etag);
    const outdated = f.admin.designs.updateDesign({ id: designId, name: "n", etag: present(before).etag });
    expect(await refusal(outdated)).toBe("412 PRECONDITION_FAILED: the record has changed");
    expect((await f.outsider.workspaces.listWorkspaceDesigns({ id: abroad.id })).designs).toEqual([]);
    expect(await logOf(f.outsider, abroad.id)).toEqual([
      "create workspace success",
      "assign design success",
      "unassign design success",
    ]);
  });

  test("the owner of a design who is not a member of its organization cannot move it", async () => {
    const { abroad, home, designId } = await newDesignAbroad(f.identity.users.admin);
    expect(await refusal(f.admin.workspaces.assignDesign({ id: home.id, designId }))).toBe(
      "404 DESIGN_NOT_FOUND: design not found",
    );
    expect((await f.outsider.workspaces.listWorkspaceDesigns({ id: abroad.id })).totalCount).toBe(1);
  });

  /** Creates a design of `abroad` that is assigned to a workspace there, and a workspace of `home`. */
  async function newDesignAbroad(owner: string) {
    const abroad = await newWorkspace(f.outsider, f.identity.abroad);
    const home = await newWorkspace(f.admin, f.identity.home);
    const { design } = await f.service.designs.createDesign({ organizationId: f.identity.abroad, owner });
    const designId = design?.id ?? "";
    await f.outsider.workspaces.assignDesign({ id: abroad.id, designId });
    return { abroad, home, designId };
  }

  test("non-members are the caller's own designs; visibility filters them", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const make = async (owner: string, visibility: string) =>
      (await f.service.designs.createDesign({ organizationId: f.identity.home, owner, visibility })).design?.id ?? "";
    const owner = newId();
    const own = await make(f.identity.users.admin, "public");
    await make(owner, "public");
    const nonMembers = async (visibility: string[]) =>
      (
        await f.admin.workspaces.listWorkspaceDesigns({ id: workspace.id, filter: { assigned: false }, visibility })
      ).designs.map((design) => design.owner);
    expect(new Set(await nonMembers([]))).toEqual(new Set([f.identity.users.admin]));
    await f.admin.workspaces.assignDesign({ id: workspace.id, designId: own });
    const members = async (visibility: string[]) =>
      (await f.admin.workspaces.listWorkspaceDesigns({ id: workspace.id, visibility })).designs.map((one) => one.id);
    expect(await members(["public,published"])).toEqual([own]);
    expect(await members(["private"])).toEqual([]);
    expect(await refusal(members(["secret"]))).toBe(
      "400 INVALID_PARAMETER: visibility must be private, public or published",
    );
  });

  test("a deleted design or view is unlinked from its workspaces, with an event that gives the reason", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const design = await kinds.design.create(f.identity.home);
    const view = await kinds.view.create(f.identity.home);
    await kinds.design.assign("admin", workspace.id, design);
    await kinds.view.assign("admin", workspace.id, view);
    expect(await refusal(f.outsider.designs.deleteDesign({ id: design }))).toMatch(/^404 DESIGN_NOT_FOUND/);
    await f.member.designs.deleteDesign({ id: design });
    expect(await refusal(f.member.views.deleteView({ id: view }))).toMatch(/^403 PERMISSION_DENIED/);
    await f.admin.views.deleteView({ id: view });
    expect(await kinds.design.list(workspace.id, true)).toEqual([]);
    expect(await kinds.view.list(workspace.id, true)).toEqual([]);
    const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: workspace.id, search: "was deleted" });
    expect(data.map((event) => [event.action, event.metadata])).toEqual([
      ["unassign", { reason: "deleted" }],
      ["unassign", { reason: "deleted" }],
    ]);
  });
});

test("access extends from team to workspace, environment and connection, and ends with any link", async () => {
  const user = f.identity.users.member;
  const workspace = await newWorkspace(f.admin, f.identity.home);
  const connection = newId();
  const teamId = f.identity.addTeam(f.identity.home, user);
  const environmentId = f.environment.addEnvironment(f.identity.home, { connections: [connection] });
  const viewId = await kinds.view.create(f.identity.home);
  const allowed = async () =>
    Promise.all(
      [
        ["team", teamId],
        ["workspace", workspace.id],
        ["environment", environmentId],
        ["connection", connection],
        ["view", viewId],
      ].map(async ([resourceKind = "", resourceId = ""]) => {
        const reply = await f.service.access.checkAccess({ userId: user, resourceKind, resourceId });
        return reply.allowed;
      }),
    );
  expect(await allowed()).toEqual([true, false, false, false, false]);
  await f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId });
  await f.admin.workspaces.assignView({ id: workspace.id, viewId });
  expect(await allowed()).toEqual([true, false, false, false, false]);
  await f.admin.workspaces.assignTeam({ id: workspace.id, teamId });
  expect(await allowed()).toEqual([true, true, true, true, true]);
  await f.admin.workspaces.removeEnvironment({ id: workspace.id, environmentId });
  expect(await allowed()).toEqual([true, true, false, false, true]);
  await f.admin.workspaces.deleteWorkspace({ id: workspace.id });
  expect(await allowed()).toEqual([true, false, false, false, false]);
  expect(
    await refusal(f.service.access.checkAccess({ userId: user, resourceKind: "planet", resourceId: user })),
  ).toMatch(/^400 INVALID_PARAMETER: resource_kind must be/);
  expect(await refusal(f.admin.access.checkAccess({ userId: user, resourceKind: "team", resourceId: teamId }))).toMatch(
    /^403 SERVICE_CREDENTIAL_REQUIRED/,
  );
});
