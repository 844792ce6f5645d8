import { refusal } from "@cloud/access/testing";
import { newId, type TeamId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 TEAM_NOT_FOUND: team not found";
const NO_USER = "404 USER_NOT_FOUND: user not found";
const NOT_IN_TEAM = "404 TEAM_MEMBER_NOT_FOUND: no such team member";
const DENIED = '403 PERMISSION_DENIED: permission "Manage Teams" is required';
const SEES_ONE = '403 PERMISSION_DENIED: permission "View All Organizations" is required';

let fixture: Fixture;
let organizationId: string;
let admin: Person;
let member: Person;
let outsider: Person;
let provider: Person;
let id: string;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organizationId = await fixture.createOrganization();
  admin = await fixture.createMember(organizationId, "Team Admin");
  member = await fixture.createMember(organizationId, "User");
  const elsewhere = await fixture.createOrganization();
  outsider = await fixture.createMember(elsewhere, "Org Admin");
  provider = await fixture.createMember(elsewhere, "Provider Admin");
  id = (await admin.teams.createTeam({ organizationId, name: "Red", description: "d" })).team?.id ?? "";
});
afterAll(() => fixture.stop());

describe("createTeam", () => {
  test("sets the caller as owner, or the user that a service names", async () => {
    const { team } = await admin.teams.createTeam({ organizationId, name: "Blue", owner: member.id });
    expect(team).toMatchObject({ organizationId, name: "Blue", description: "", owner: admin.id });
    const named = await fixture.service.teams.createTeam({ organizationId, owner: member.id });
    expect(named.team?.owner).toBe(member.id);
    expect((await fixture.service.teams.createTeam({ organizationId })).team?.owner).toBe("");
    expect(await refusal(fixture.service.teams.createTeam({ organizationId, owner: "x" }))).toBe(NO_USER);
  });

  test("checks the form, then the permission", async () => {
    const create = (who: Fixture["service"], organization: string, name = "") =>
      refusal(who.teams.createTeam({ organizationId: organization, name }));
    expect(await create(admin, "")).toBe("400 ORGANIZATION_ID_REQUIRED: organization_id is required");
    expect(await create(admin, "x")).toBe("400 ORGANIZATION_ID_INVALID: invalid organization_id format");
    expect(await create(member, organizationId, "x".repeat(256))).toMatch(/^400 INVALID_PARAMETER: name/);
    expect(await create(member, organizationId)).toBe(DENIED);
    expect(await create(outsider, organizationId)).toBe(DENIED);
    expect(await create(fixture.service, newId<TeamId>())).toBe(DENIED);
    expect(await create(provider, organizationId)).toBe("not refused");
  });
});

describe("reading", () => {
  test("is allowed to members of the organization and to Provider Admins", async () => {
    for (const who of [admin, member, provider, fixture.service]) {
      expect((await who.teams.getTeam({ id })).team).toMatchObject({ id, name: "Red" });
    }
    expect(await refusal(outsider.teams.getTeam({ id }))).toBe(NOT_FOUND);
    expect(await refusal(member.teams.getTeam({ id: "x" }))).toBe(NOT_FOUND);
  });

  test("lists the teams of one organization, searched, ordered and paged; of all for a Provider Admin", async () => {
    await admin.teams.createTeam({ organizationId, name: "Blue", description: "100%" });
    const list = async (who: Fixture["service"], request: Parameters<Fixture["service"]["teams"]["listTeams"]>[0]) => {
      const { page, pageSize, totalCount, teams } = await who.teams.listTeams(request);
      return [page, pageSize, totalCount, teams.map(({ name }) => name)];
    };
    expect(await list(member, { orgId: organizationId })).toEqual([0, 25, 2, ["Blue", "Red"]]);
    expect(await list(member, { orgId: organizationId, search: "%" })).toEqual([0, 25, 1, ["Blue"]]);
    const second = { orgId: organizationId, order: "created_at asc", page: 1n, pageSize: 1n };
    expect(await list(member, second)).toEqual([1, 1, 2, ["Blue"]]);
    expect(await list(member, { orgId: organizationId, page: 9n })).toEqual([9, 25, 2, []]);
    expect(await refusal(member.teams.listTeams({}))).toBe("400 ORG_ID_REQUIRED: org_id is required");
    expect(await refusal(member.teams.listTeams({ orgId: "all" }))).toBe(SEES_ONE);
    expect(await refusal(outsider.teams.listTeams({ orgId: organizationId }))).toBe(SEES_ONE);
    const total = (await provider.teams.listTeams({ orgId: "all" })).totalCount;
    const { rows } = await fixture.db.read(
      statement<{ n: number }>`
        select count(*)::int as n
        from teams
        where deleted_at is null`,
    );
    expect(total).toBe(rows[0]?.n);
  });
});

describe("updateTeam", () => {
  test("changes only the fields sent", async () => {
    const before = (await admin.teams.getTeam({ id })).team;
    expect((await admin.teams.updateTeam({ id })).team).toEqual(before);
    expect((await admin.teams.updateTeam({ id, name: "Green" })).team).toMatchObject({
      name: "Green",
      description: "d",
    });
    expect((await admin.teams.updateTeam({ id, description: "" })).team).toMatchObject({
      name: "Green",
      description: "",
    });
    expect((await admin.teams.getTeam({ id })).team?.createdAt).toEqual(before?.createdAt);
  });

  test("refuses texts that are too long, members without the permission and outsiders", async () => {
    const change = { id, description: "x".repeat(256) };
    expect(await refusal(admin.teams.updateTeam(change))).toMatch(/^400 INVALID_PARAMETER: description/);
    expect(await refusal(member.teams.updateTeam({ id, name: "x" }))).toBe(DENIED);
    expect(await refusal(outsider.teams.updateTeam({ id, name: "x" }))).toBe(NOT_FOUND);
  });
});

describe("deleteTeam", () => {
  test("deletes its memberships and publishes one event", async () => {
    await admin.teams.addTeamMember({ id, userId: member.id });
    expect(await refusal(member.teams.deleteTeam({ id }))).toBe(DENIED);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => refusal(admin.teams.deleteTeam({ id }))));
    expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === NOT_FOUND)).toHaveLength(5);
    expect(await refusal(admin.teams.getTeam({ id }))).toBe(NOT_FOUND);
    expect(await refusal(admin.teams.updateTeam({ id, name: "x" }))).toBe(NOT_FOUND);
    expect((await member.teams.listTeams({ orgId: organizationId })).totalCount).toBe(0);
    expect((await fixture.service.directory.listUserTeamIds({ userId: member.id })).teamIds).toEqual([]);
    const events = await fixture.events(TeamDeletedSchema);
    expect(events.filter(({ teamId }) => teamId === id)).toMatchObject([{ organizationId, actor: admin.id }]);
  });
});

describe("members of a team", () => {
  test("must have a role in its organization; adding one is idempotent", async () => {
    const first = await admin.teams.addTeamMember({ id, userId: member.id });
    expect(first.teamMember).toMatchObject({ teamId: id, userId: member.id });
    expect(await admin.teams.addTeamMember({ id, userId: member.id })).toEqual(first);
    for (const userId of [outsider.id, provider.id, newId<TeamId>(), "x"]) {
      expect(await refusal(admin.teams.addTeamMember({ id, userId }))).toBe(NO_USER);
    }
    expect(await refusal(member.teams.addTeamMember({ id, userId: member.id }))).toBe(DENIED);
    expect(await refusal(outsider.teams.addTeamMember({ id, userId: member.id }))).toBe(NOT_FOUND);
    const { teamIds } = await fixture.service.directory.listUserTeamIds({ userId: member.id.toUpperCase() });
    expect(teamIds).toEqual([id]);
  });

  test("are removed; a second removal is refused", async () => {
    await admin.teams.addTeamMember({ id, userId: member.id });
    expect(await refusal(member.teams.removeTeamMember({ id, userId: member.id }))).toBe(DENIED);
    await admin.teams.removeTeamMember({ id, userId: member.id });
    expect(await refusal(admin.teams.removeTeamMember({ id, userId: member.id }))).toBe(NOT_IN_TEAM);
    expect(await refusal(admin.teams.removeTeamMember({ id, userId: "x" }))).toBe(NOT_IN_TEAM);
    expect((await fixture.service.directory.listUserTeamIds({ userId: member.id })).teamIds).toEqual([]);
  });
});
