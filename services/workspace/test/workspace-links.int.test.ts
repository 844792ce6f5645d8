import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { present } from "@cloud/service/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

type Link = { readonly assign: (id: string) => Promise<unknown>; readonly resource: string };

/** Creates a record of each type, with the call that links it to a workspace. */
const creations: Readonly<Record<string, () => Promise<Link>>> = {
  async team() {
    const teamId = f.identity.addTeam(f.identity.home);
    return { resource: teamId, assign: (id) => f.admin.workspaces.assignTeam({ id, teamId }) };
  },
  async environment() {
    const environmentId = f.environment.addEnvironment(f.identity.home);
    return { resource: environmentId, assign: (id) => f.admin.workspaces.assignEnvironment({ id, environmentId }) };
  },
  async design() {
    const { design } = await f.service.designs.createDesign({ organizationId: f.identity.home });
    const designId = present(design).id;
    return { resource: designId, assign: (id) => f.admin.workspaces.assignDesign({ id, designId }) };
  },
  async view() {
    const { view } = await f.service.views.createView({ organizationId: f.identity.home });
    const viewId = present(view).id;
    return { resource: viewId, assign: (id) => f.admin.workspaces.assignView({ id, viewId }) };
  },
};

const workspacesOf = async (resource: string) => {
  const text = statement<{ workspace_id: string }>`
    select workspace_id
    from assignments
    where resource_id = $1`;
  return (await f.db.read(text, [resource])).rows.map((row) => row.workspace_id);
};

test.each(Object.entries(creations))(
  "the deletion of a workspace deletes the row of its link to a %s, and no other",
  async (_type, create) => {
    const { assign, resource } = await create();
    const [workspace, other] = [
      await newWorkspace(f.admin, f.identity.home),
      await newWorkspace(f.admin, f.identity.home),
    ];
    const first = await assign(workspace.id);
    expect(await assign(workspace.id)).toEqual(first);
    await assign(other.id);
    expect((await workspacesOf(resource)).toSorted()).toEqual([workspace.id, other.id].toSorted());
    await f.admin.workspaces.deleteWorkspace({ id: workspace.id });
    expect(await workspacesOf(resource)).toEqual([other.id]);
  },
);

test("a design stays in its workspaces when its owner may not move it, as no member of its organization", async () => {
  const abroad = await newWorkspace(f.outsider, f.identity.abroad);
  const home = await newWorkspace(f.admin, f.identity.home);
  const request = { organizationId: f.identity.abroad, owner: f.identity.users.admin };
  const designId = present((await f.service.designs.createDesign(request)).design).id;
  await f.outsider.workspaces.assignDesign({ id: abroad.id, designId });
  const moved = f.admin.workspaces.assignDesign({ id: home.id, designId });
  expect(await refusal(moved)).toBe("404 DESIGN_NOT_FOUND: design not found");
  expect(await workspacesOf(designId)).toEqual([abroad.id]);
});
