import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId, type UserId, type WorkspaceId } from "@cloud/access/values";
import { type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { insertCurriculum } from "../src/curricula/sql.ts";
import type { CurriculumId } from "../src/ids.ts";
import { deleteMember, deleteMemberships } from "../src/memberships/sql.ts";
import { deleteTeamsOf } from "../src/organizations/delete-teams-of-organization.ts";
import { selectOrganizationForUpdate, softDeleteOrganization } from "../src/organizations/sql.ts";
import { updateSelection } from "../src/selections/preferences-sql.ts";
import { insertOrLockWorkspaceReference } from "../src/selections/workspace-reference-sql.ts";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

/**
 * Calls that race with a change: the change is made but not committed when the call arrives. With the lock, the call
 * waits and sees the change; the control makes the same change without the lock.
 */
let fixture: Fixture;
let organization: OrganizationId;
let admin: Person;
let member: Person;
let team: string;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organization = (await fixture.createOrganization()) as OrganizationId;
  admin = await fixture.createMember(organization, "Org Admin");
  member = await fixture.createMember(organization, "User");
  team = (await admin.teams.createTeam({ organizationId: organization })).team?.id ?? "";
});
afterAll(() => fixture.stop());

/** Returns the outcome of a call that arrives while the change is not committed. */
async function outcomeDuring(change: (tx: Tx) => Promise<void>, locked: boolean, call: () => Promise<unknown>) {
  const { outcome } = await fixture.db.transaction(async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    if (locked) await selectOrganizationForUpdate(tx, organization);
    await change(tx);
    let isOver = false;
    const outcome = refusal(call()).finally(() => {
      isOver = true;
    });
    await waitFor(async () => (isOver ? true : await isAnyoneWaiting()), { deadlineMs: 30_000 });
    return { outcome };
  });
  return await outcome;
}

const isAnyoneWaiting = async () => {
  const waiting = statement`
    select 1
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return (await execute(fixture.db, waiting)).rowCount === 0 ? undefined : true;
};

const count = async (text: SqlText, ...params: string[]) => (await execute(fixture.db, text, params)).rowCount;
const leave = async (tx: Tx) => void (await deleteMember(tx, organization, member.id as UserId));
const end = async (tx: Tx) => {
  await deleteMemberships(tx, organization);
  await softDeleteOrganization(tx, organization);
  await deleteTeamsOf(tx, { requestId: "" }, { userId: "", serviceName: "operator" }, organization);
};

describe("a selection while its user leaves", () => {
  const select = () => member.users.updatePreferences({ selectedOrganization: organization });
  const selections = () => count(sql`select 1 from preferences where selected_organization = $1`, organization);

  test("is refused", async () => {
    const outcome = await outcomeDuring(leave, true, select);
    expect(outcome).toBe("404 ORGANIZATION_NOT_FOUND: organization not found");
    expect(await selections()).toBe(0);
  });
  test("control: would outlive the membership", async () => {
    expect(await outcomeDuring(leave, false, select)).toBe("not refused");
    expect(await selections()).toBe(1);
  });
});

describe("a team membership while its user leaves", () => {
  const add = () => admin.teams.addTeamMember({ id: team, userId: member.id });
  const places = () => count(sql`select 1 from team_members where user_id = $1`, member.id);

  test("is refused", async () => {
    expect(await outcomeDuring(leave, true, add)).toBe("404 USER_NOT_FOUND: user not found");
    expect(await places()).toBe(0);
  });
  test("control: would outlive the membership", async () => {
    expect(await outcomeDuring(leave, false, add)).toBe("not refused");
    expect(await places()).toBe(1);
  });
});

describe("a registration while its user leaves", () => {
  let id: string;
  beforeEach(async () => {
    const request = { organizationId: organization, title: "Go" };
    id = (await admin.curricula.createCurriculum(request)).curriculum?.id ?? "";
  });
  const register = () => member.curricula.registerForCurriculum({ id });

  test("is refused", async () => {
    const outcome = await outcomeDuring(leave, true, register);
    expect(outcome).toBe("404 CURRICULUM_NOT_FOUND: curriculum not found");
  });
  test("control: would be made by a former member", async () => {
    expect(await outcomeDuring(leave, false, register)).toBe("not refused");
  });
});

describe("a team created while its organization is deleted", () => {
  const create = () => admin.teams.createTeam({ organizationId: organization });
  const liveTeams = () =>
    count(sql`select 1 from teams where organization_id = $1 and deleted_at is null`, organization);

  test("is refused", async () => {
    const outcome = await outcomeDuring(end, true, create);
    expect(outcome).toBe('403 PERMISSION_DENIED: permission "Manage Teams" is required');
    expect(await liveTeams()).toBe(0);
  });
  test("control: would outlive the organization", async () => {
    const endTeams = async (tx: Tx) => {
      await tx.query(
        statement`
          update teams
          set deleted_at = now()
          where organization_id = $1`,
        [organization],
      );
    };
    expect(await outcomeDuring(endTeams, false, create)).toBe("not refused");
    expect(await liveTeams()).toBe(1);
  });
});

describe("a curriculum created concurrently with another of the same title", () => {
  const create = () => admin.curricula.createCurriculum({ organizationId: organization, title: "Go" });
  const insertFirst = async (tx: Tx) => {
    const texts = { title: "Go", description: "", type: "", level: "", status: "", slug: "go" };
    const id = newId<CurriculumId>();
    await insertCurriculum(tx, { id, organizationId: organization, visibility: "public", ...texts });
  };

  test("gets the next slug", async () => {
    expect(await outcomeDuring(insertFirst, true, create)).toBe("not refused");
    expect(await count(sql`select 1 from curricula where organization_id = $1 and slug = 'go-2'`, organization)).toBe(
      1,
    );
  });
  test("control: would choose the same slug", async () => {
    expect(await outcomeDuring(insertFirst, false, create)).toMatch(/^500 INTERNAL/);
  });
});

describe("a workspace deleted while its selection is not committed", () => {
  const tombstones = sql`select 1 from workspace_references where id = $1 and deleted_at is not null`;
  const selections = sql`select 1 from preferences where selected_workspace = $1`;

  const selectAndDelete = async (locked: boolean) => {
    const id = fixture.workspaces.addWorkspace(organization) as WorkspaceId;
    const workspace = { id, organizationId: organization };
    const isDeleted = async () => ((await count(tombstones, id)) === 1 ? true : undefined);
    await fixture.db.transaction((tx) => insertOrLockWorkspaceReference(tx, workspace));
    await fixture.db.transaction(async (tx) => {
      await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
      if (locked) await insertOrLockWorkspaceReference(tx, workspace);
      await updateSelection(tx, member.id as UserId, { organizationId: null, workspace });
      await fixture.workspaces.deleteWorkspace(id);
      await waitFor(locked ? isAnyoneWaiting : isDeleted, { deadlineMs: 30_000 });
    });
    await waitFor(isDeleted, { deadlineMs: 30_000 });
    return await count(selections, id);
  };

  test("is no longer selected", async () => {
    expect(await selectAndDelete(true)).toBe(0);
  });
  test("control: its selection would dangle", async () => {
    expect(await selectAndDelete(false)).toBe(1);
  });
});
