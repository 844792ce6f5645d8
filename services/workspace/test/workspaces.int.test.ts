import { refusal } from "@cloud/access/testing";
import { newId } from "@cloud/access/values";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const listAll = async (orgId: string) =>
  (await f.provider.workspaces.listWorkspaces({ orgId, pageSize: 100n })).workspaces;

describe("all organizations", () => {
  test("include the My Workspace of one whose creation event has not arrived", async () => {
    const fresh = [newId(), newId()];
    for (const id of fresh) f.identity.organizations.set(id, f.identity.users.admin);
    const ofFresh = async () =>
      (await listAll("all")).filter(({ organizationId }) => fresh.includes(organizationId as (typeof fresh)[number]));
    const [first, second] = await Promise.all([ofFresh(), ofFresh()]);
    const expected = { name: "My Workspace", owner: f.identity.users.admin };
    expect(first).toMatchObject([expected, expected]);
    expect(second).toEqual(first);
  });

  test("exclude one that identity has just deleted", async () => {
    const doomed = newId();
    f.identity.organizations.set(doomed, "");
    const { id } = await newWorkspace(f.service, doomed);
    expect((await listAll("all")).map((workspace) => workspace.id)).toContain(id);
    f.identity.organizations.delete(doomed);
    expect((await listAll("all")).map((workspace) => workspace.id)).not.toContain(id);
    expect(await refusal(listAll(doomed))).toBe("404 ORGANIZATION_NOT_FOUND: organization not found");
  });
});

test("a service creates none in an organization that is unknown", async () => {
  const created = f.service.workspaces.createWorkspace({ organizationId: newId() });
  expect(await refusal(created)).toBe("404 ORGANIZATION_NOT_FOUND: organization not found");
});

test("services look up live workspaces, and neither deleted ones nor ids of another form", async () => {
  const [live, deleted] = [await newWorkspace(f.admin, f.identity.home), await newWorkspace(f.admin, f.identity.home)];
  await f.admin.workspaces.deleteWorkspace({ id: deleted.id });
  const { workspaces } = await f.service.directory.batchGetWorkspaces({ ids: [deleted.id, "x", live.id] });
  expect(workspaces.map(({ id }) => id)).toEqual([live.id]);
});
