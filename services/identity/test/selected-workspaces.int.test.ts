import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NO_WORKSPACE = "404 WORKSPACE_NOT_FOUND: workspace not found";

let fixture: Fixture;
let one: string;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  one = await fixture.createOrganization("one");
  person = await fixture.createMember(one, "User");
});
afterAll(() => fixture.stop());

const put = async (change: { selectedOrganization?: string; selectedWorkspace?: string }) => {
  const { preferences } = await person.users.updatePreferences(change);
  return [preferences?.selectedOrganization, preferences?.selectedWorkspace];
};
const stored = async () => {
  const preferences = (await person.users.getProfile({})).profile?.preferences;
  return [preferences?.selectedOrganization, preferences?.selectedWorkspace];
};

test("a selection that is refused changes nothing", async () => {
  await put({ selectedOrganization: one, selectedWorkspace: fixture.workspaces.addWorkspace(one) });
  const before = await stored();
  const elsewhere = await fixture.createOrganization();
  const foreign = fixture.workspaces.addWorkspace(elsewhere);
  expect(await refusal(put({ selectedOrganization: elsewhere }))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(put({ selectedOrganization: "", selectedWorkspace: foreign }))).toBe(NO_WORKSPACE);
  expect(await stored()).toEqual(before);
});

describe("a deleted workspace", () => {
  test("is no longer selected by any user", async () => {
    const workspace = fixture.workspaces.addWorkspace(one);
    await put({ selectedOrganization: one, selectedWorkspace: workspace });
    await fixture.workspaces.deleteWorkspace(workspace);
    await waitFor(async () => ((await stored())[1] === "" ? true : undefined), { deadlineMs: 30_000 });
    expect(await stored()).toEqual([one, ""]);
  });

  /** Applies the event of the deletion before the reply of a look-up that found the workspace live. */
  const selectWhileItIsDeleted = async (afterTheEvent: (workspace: string) => Promise<void>) => {
    const workspace = fixture.workspaces.addWorkspace(one);
    fixture.workspaces.beforeNextAnswer(async () => {
      await fixture.workspaces.deleteWorkspace(workspace);
      const applied = statement`
        select 1
        from workspace_references
        where id = $1 and deleted_at is not null`;
      const isApplied = async () => ((await fixture.db.read(applied, [workspace])).rowCount === 1 ? true : undefined);
      await waitFor(isApplied, { deadlineMs: 30_000 });
      await afterTheEvent(workspace);
    });
    return { workspace, outcome: await refusal(put({ selectedOrganization: one, selectedWorkspace: workspace })) };
  };

  test("cannot be selected after a look-up that found it live", async () => {
    const { outcome } = await selectWhileItIsDeleted(async () => undefined);
    expect(outcome).toBe(NO_WORKSPACE);
    expect(await stored()).toEqual(["", ""]);
  });

  test("control: without the tombstone its selection would dangle", async () => {
    const { workspace, outcome } = await selectWhileItIsDeleted(async (id) => {
      await execute(
        fixture.db,
        statement`
          delete
          from workspace_references
          where id = $1`,
        [id],
      );
    });
    expect(outcome).toBe("not refused");
    expect(await stored()).toEqual([one, workspace]);
  });

  test("clears selections that are made concurrently with the deletion", async () => {
    const workspaces = Array.from({ length: 20 }, () => fixture.workspaces.addWorkspace(one));
    for (const workspace of workspaces) {
      await Promise.all([
        refusal(put({ selectedWorkspace: workspace })),
        fixture.workspaces.deleteWorkspace(workspace),
      ]);
    }
    const tombstones = statement`
      select 1
      from workspace_references
      where id = any($1::uuid[]) and deleted_at is not null`;
    const areApplied = async () => {
      const { rowCount } = await fixture.db.read(tombstones, [workspaces]);
      return rowCount === workspaces.length ? true : undefined;
    };
    await waitFor(areApplied, { deadlineMs: 30_000 });
    expect(await stored()).toEqual(["", ""]);
  });
});
