import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

let fixture: Fixture;
let organizationId: string;
let admin: Person;
let member: Person;
let id: string;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organizationId = await fixture.createOrganization();
  admin = await fixture.createMember(organizationId, "Team Admin");
  member = await fixture.createMember(organizationId, "User");
  id = (await admin.teams.createTeam({ organizationId, name: "Red" })).team?.id ?? "";
});
afterAll(() => fixture.stop());

const teamIdsOf = async ({ id }: Person) =>
  (await fixture.service.directory.listUserTeamIds({ userId: id.toUpperCase() })).teamIds;

test("a service names an owner who exists", async () => {
  const created = fixture.service.teams.createTeam({ organizationId, owner: "x" });
  expect(await refusal(created)).toBe("404 USER_NOT_FOUND: user not found");
});

test("a Provider Admin lists the live teams of all organizations", async () => {
  const provider = await fixture.createMember(organizationId, "Provider Admin");
  const { totalCount } = await provider.teams.listTeams({ orgId: "all" });
  const { rows } = await fixture.db.read(
    statement<{ n: number }>`
      select count(*)::int as n
      from teams
      where deleted_at is null`,
  );
  expect(totalCount).toBe(rows[0]?.n);
});

test("one of six concurrent deletions succeeds, deletes the memberships and publishes one event", async () => {
  await admin.teams.addTeamMember({ id, userId: member.id });
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => refusal(admin.teams.deleteTeam({ id }))));
  expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === "404 TEAM_NOT_FOUND: team not found")).toHaveLength(5);
  expect(await teamIdsOf(member)).toEqual([]);
  const events = await fixture.events(TeamDeletedSchema);
  expect(events.filter(({ teamId }) => teamId === id)).toMatchObject([{ organizationId, actor: admin.id }]);
});

test("a member is in the team once, however often they are added, until they are removed", async () => {
  const first = await admin.teams.addTeamMember({ id, userId: member.id });
  expect(await admin.teams.addTeamMember({ id, userId: member.id })).toEqual(first);
  expect(await teamIdsOf(member)).toEqual([id]);
  await admin.teams.removeTeamMember({ id, userId: member.id });
  expect(await teamIdsOf(member)).toEqual([]);
});
