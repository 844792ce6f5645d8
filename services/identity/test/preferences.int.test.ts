import { refusal } from "@cloud/access/testing";
import { newId, type WorkspaceId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NO_ORGANIZATION = "404 ORGANIZATION_NOT_FOUND: organization not found";
const NO_WORKSPACE = "404 WORKSPACE_NOT_FOUND: workspace not found";

let fixture: Fixture;
let one: string;
let two: string;
let foreign: string;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  [one, two, foreign] = [
    await fixture.createOrganization("one"),
    await fixture.createOrganization("two"),
    await fixture.createOrganization("foreign"),
  ];
  person = await fixture.createMember(one, "User");
  await fixture.service.organizations.setMemberRoles({ id: two, userId: person.id, roleNames: ["Org Admin"] });
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

describe("updatePreferences", () => {
  test("changes only the fields sent; an empty string clears one", async () => {
    const workspace = fixture.workspaces.addWorkspace(one);
    expect(await stored()).toEqual(["", ""]);
    expect(await put({ selectedOrganization: one })).toEqual([one, ""]);
    expect(await put({ selectedWorkspace: workspace })).toEqual([one, workspace]);
    expect(await put({})).toEqual([one, workspace]);
    expect(await put({ selectedOrganization: "" })).toEqual(["", workspace]);
    expect(await put({ selectedOrganization: one.toUpperCase() })).toEqual([one, workspace]);
    expect(await put({ selectedWorkspace: "" })).toEqual([one, ""]);
    expect(await stored()).toEqual([one, ""]);
  });

  test("another organization drops the workspace of the old one", async () => {
    const [first, second] = [fixture.workspaces.addWorkspace(one), fixture.workspaces.addWorkspace(two)];
    await put({ selectedOrganization: one, selectedWorkspace: first });
    expect(await put({ selectedOrganization: two })).toEqual([two, ""]);
    expect(await put({ selectedOrganization: one, selectedWorkspace: first })).toEqual([one, first]);
    expect(await put({ selectedOrganization: two, selectedWorkspace: second })).toEqual([two, second]);
  });

  test("refuses organizations that the caller is not a member of", async () => {
    await put({ selectedOrganization: one });
    for (const selectedOrganization of [foreign, "x", newId<WorkspaceId>()]) {
      expect(await refusal(put({ selectedOrganization }))).toBe(NO_ORGANIZATION);
    }
    expect(await stored()).toEqual([one, ""]);
  });

  test("refuses workspaces that are missing, foreign or of another organization than the selected one", async () => {
    const elsewhere = fixture.workspaces.addWorkspace(two);
    for (const selectedWorkspace of ["x", newId<WorkspaceId>(), fixture.workspaces.addWorkspace(foreign)]) {
      expect(await refusal(put({ selectedWorkspace }))).toBe(NO_WORKSPACE);
    }
    const both = { selectedOrganization: one, selectedWorkspace: elsewhere };
    expect(await refusal(put(both))).toBe(NO_WORKSPACE);
    expect(await stored()).toEqual(["", ""]);
    expect(await put({ selectedWorkspace: elsewhere })).toEqual(["", elsewhere]);
    await put({ selectedOrganization: one, selectedWorkspace: "" });
    expect(await refusal(put({ selectedWorkspace: elsewhere }))).toBe(NO_WORKSPACE);
    expect(await put({ selectedOrganization: "", selectedWorkspace: elsewhere })).toEqual(["", elsewhere]);
  });

  test("a service has no preferences", async () => {
    expect(await refusal(fixture.service.users.updatePreferences({}))).toBe("404 USER_NOT_FOUND: user not found");
  });
});

describe("the current organization", () => {
  const current = async (header?: string) => {
    const headers = header === undefined ? {} : { "service-current-orgid": header };
    const { profile } = await person.users.getProfile({}, { headers });
    return [profile?.currentOrganization, profile?.roleNames];
  };

  test("is that of the header, else the selected one, else the only one", async () => {
    expect(await current()).toEqual(["", []]);
    await put({ selectedOrganization: two });
    expect(await current()).toEqual([two, ["Org Admin"]]);
    expect(await current(one)).toEqual([one, ["User"]]);
    for (const ignored of [foreign, "x", newId<WorkspaceId>()]) {
      expect(await current(ignored)).toEqual([two, ["Org Admin"]]);
    }
    await put({ selectedOrganization: "" });
    await fixture.createMember(two, "Org Admin"); // the last one could not be removed
    await fixture.service.organizations.removeMember({ id: two, userId: person.id });
    expect(await current()).toEqual([one, ["User"]]);
    expect(await current(two)).toEqual([one, ["User"]]);
  });

  test("may be any organization for a Provider Admin, whose profile lists only those with a role", async () => {
    person = await fixture.createMember(one, "Provider Admin");
    expect(await current(foreign)).toEqual([foreign, ["Provider Admin"]]);
    await put({ selectedOrganization: foreign });
    expect(await current()).toEqual([foreign, ["Provider Admin"]]);
    const { profile } = await person.users.getProfile({});
    expect(profile?.organizations).toMatchObject({ organizationsWithRoles: [{ id: one }], totalCount: 1 });
    await fixture.service.organizations.deleteOrganization({ id: foreign });
    expect(await current(foreign)).toEqual([one, ["Provider Admin"]]);
  });
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
