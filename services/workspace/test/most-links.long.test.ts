import { newId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

const MOST = 200_000;
const PART = 20_000;

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

async function newView(): Promise<string> {
  const { view } = await f.admin.views.createView({ organizationId: f.identity.home, name: "linked" });
  return view?.id ?? "";
}

test("lists of more than 1,000 links are read by their ids from an owner that has no copies", async () => {
  const { id } = await newWorkspace(f.admin, f.identity.home);
  const teams = Array.from({ length: 1_002 }, () => f.identity.addTeam(f.identity.home));
  await execute(
    f.db,
    statement`
      insert into assignments (id, workspace_id, kind, resource_id)
      select gen_random_uuid(), $1, 'team', unnest($2::uuid[])`,
    [id, teams.slice(1)],
  );
  expect(await f.admin.workspaces.listWorkspaceTeams({ id })).toMatchObject({ totalCount: 1_001 });
  const others = await f.admin.workspaces.listWorkspaceTeams({ id, filter: { assigned: false } });
  expect(others.teams).toMatchObject([{ id: teams[0] }]);
});

test("a workspace has at most 200,000 links of one kind", async () => {
  const { id } = await newWorkspace(f.admin, f.identity.home);
  // In parts, because a statement may take 3 s.
  for (let left = MOST - 1; left > 0; left -= PART) {
    await execute(
      f.db,
      statement`
        insert into assignments (id, workspace_id, kind, resource_id)
        select gen_random_uuid(), $1, 'view', gen_random_uuid()
        from generate_series(1, $2)`,
      [id, Math.min(left, PART)],
    );
  }
  const [last, beyond] = [await newView(), await newView()];
  await f.admin.workspaces.assignView({ id, viewId: last });
  await expect(f.admin.workspaces.assignView({ id, viewId: beyond })).rejects.toThrow(
    "a workspace has at most 200000 links of one kind",
  );
  // An existing link is returned as ever; the refusal stored nothing but its line in the log.
  await f.admin.workspaces.assignView({ id, viewId: last });
  expect(await logOf(f.admin, id)).toEqual([
    "create workspace success",
    "assign view success",
    "assign view error",
    "assign view success",
  ]);
  const { rows } = await f.db.read(statement`select from assignments where resource_id = $1`, [beyond]);
  expect(rows).toEqual([]);
  // Other kinds have their own limit, and after a removal there is room again.
  const { design } = await f.admin.designs.createDesign({ organizationId: f.identity.home, name: "linked" });
  await f.admin.workspaces.assignDesign({ id, designId: design?.id ?? newId() });
  await f.admin.workspaces.removeView({ id, viewId: last });
  await f.admin.workspaces.assignView({ id, viewId: beyond });
}, 120_000);
