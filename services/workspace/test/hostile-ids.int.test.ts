import { newId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Clients, type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const IDS: readonly (readonly [string, string])[] = [
  ["of 1.5 million characters", "x".repeat(1_500_000)],
  ["with U+0000", `${newId()}\u0000`],
  ["of nothing but U+0000", "\u0000"],
  ["of characters beyond the BMP", "😀".repeat(1_000)],
  ["of SQL", "'; drop table activity_events; --"],
  ["that is empty", ""],
];

type Operation = (workspaces: Clients["workspaces"], id: string, resource: string) => Promise<unknown>;
const OPERATIONS: readonly (readonly [string, Operation])[] = [
  ["assign team", (client, id, teamId) => client.assignTeam({ id, teamId })],
  ["unassign team", (client, id, teamId) => client.removeTeam({ id, teamId })],
  ["assign environment", (client, id, environmentId) => client.assignEnvironment({ id, environmentId })],
  ["unassign environment", (client, id, environmentId) => client.removeEnvironment({ id, environmentId })],
  ["assign design", (client, id, designId) => client.assignDesign({ id, designId })],
  ["unassign design", (client, id, designId) => client.removeDesign({ id, designId })],
  ["assign view", (client, id, viewId) => client.assignView({ id, viewId })],
  ["unassign view", (client, id, viewId) => client.removeView({ id, viewId })],
];

/**
 * Each operation with one id, and each id with an operation; `npm run test:hostile -- --only failed-events` has all.
 */
const CASES = OPERATIONS.map(([name, run], at) => {
  const [kind, id] = IDS[at % IDS.length] as (typeof IDS)[number];
  return { name, kind, id, run };
});

test.each(CASES)("$name: an id $kind is refused and logged", async ({ name, id, run }) => {
  const workspace = await newWorkspace(f.admin, f.identity.home);
  await expect(run(f.admin.workspaces, workspace.id, id)).rejects.toThrow();
  await expect(run(f.member.workspaces, workspace.id, id)).rejects.toThrow();
  const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: workspace.id, order: "created_at asc" });
  const failures = data.filter(({ severity }) => severity === "error");
  expect(failures.map(({ action, actedUponKind }) => `${action} ${actedUponKind}`)).toEqual([name, name]);
  for (const { actedUpon } of failures) expect([...actedUpon].length).toBeLessThanOrEqual(64);
});

test("an update with texts and metadata beyond the limits is refused and logged", async () => {
  const workspace = await newWorkspace(f.admin, f.identity.home);
  const { id } = workspace;
  const text = "\u0000" + "x".repeat(500_000);
  await expect(f.admin.workspaces.updateWorkspace({ id, name: text })).rejects.toThrow();
  await expect(f.admin.workspaces.updateWorkspace({ id, metadata: { [text]: 0 } })).rejects.toThrow();
  const { data } = await f.admin.workspaces.listWorkspaceEvents({ id, order: "created_at asc" });
  expect(data.map(({ action, severity }) => `${action} ${severity}`)).toEqual([
    "create success",
    "update error",
    "update error",
  ]);
});

test.each([
  ["an id of 65 characters", "x".repeat(65), "x"],
  ["a line over 1 KiB", "x", "x".repeat(960)],
])("control: the table itself refuses %s", async (_case, actedUpon, description) => {
  const insert = execute(
    f.db,
    statement`
      insert into activity_events
        (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
      values ($1, $1, $1, '', 'update', 'error', $3, $2, 'workspace')`,
    [newId(), actedUpon, description],
  );
  await expect(insert).rejects.toThrow(/check constraint/);
});
