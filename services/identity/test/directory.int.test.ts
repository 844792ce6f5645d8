import { packIds } from "@cloud/access/lists";
import { newId, type OrganizationId } from "@cloud/access/values";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";

let fixture: Fixture;
let live: string;
let dead: string;
let teams: string[];

beforeAll(async () => {
  fixture = await startFixture();
  [live, dead] = [await fixture.createOrganization("live"), await fixture.createOrganization("dead")];
  await fixture.service.organizations.deleteOrganization({ id: dead });
  teams = [];
  for (const name of ["a", "b", "c", "deleted"]) {
    const { team } = await fixture.service.teams.createTeam({ organizationId: live, name });
    teams.push(team?.id ?? "");
  }
  await fixture.service.teams.deleteTeam({ id: teams[3] ?? "" });
  const other = await fixture.createOrganization("other");
  const { team } = await fixture.service.teams.createTeam({ organizationId: other, name: "elsewhere" });
  teams.push(team?.id ?? "");
});
afterAll(() => fixture.stop());

test("batch look-ups of 1,000 ids return the live records and omit all others", async () => {
  const noise = ["x", "", ...Array.from({ length: 993 }, () => newId<OrganizationId>())];
  const { organizations } = await fixture.service.directory.batchGetOrganizations({ ids: [live, dead, ...noise] });
  expect(organizations).toMatchObject([{ id: live, name: "live" }]);
  const found = await fixture.service.directory.batchGetTeams({ ids: [...teams, ...noise] });
  expect(found.teams.map(({ name }) => name).sort()).toEqual(["a", "b", "c", "elsewhere"]);
  const { organizationIds } = await fixture.service.directory.listLiveOrganizationIds({});
  expect(organizationIds).toContain(live);
  expect(organizationIds).not.toContain(dead);
});

test("selectTeams lists the teams of an organization that are among the ids, or that are not", async () => {
  const select = async (request: Parameters<Fixture["service"]["directory"]["selectTeams"]>[0]) => {
    const reply = await fixture.service.directory.selectTeams({ organizationId: live, ...request });
    return [reply.page, reply.pageSize, reply.totalCount, reply.teams.map(({ name }) => name)];
  };
  const [a = "", b = "", , deleted = "", elsewhere = ""] = teams;
  const ids = [a, b, deleted, elsewhere, "x"];
  expect(await select({ ids, assigned: true })).toEqual([0, 25, 2, ["b", "a"]]);
  expect(await select({ ids, assigned: false })).toEqual([0, 25, 1, ["c"]]);
  expect(await select({ assigned: true })).toEqual([0, 25, 0, []]);
  expect(await select({ assigned: false, order: "created_at asc" })).toEqual([0, 25, 3, ["a", "b", "c"]]);
  expect(await select({ assigned: false, search: "B" })).toEqual([0, 25, 1, ["b"]]);
  expect(await select({ assigned: false, page: 1n, pageSize: 2n })).toEqual([1, 2, 3, ["a"]]);
  const many = Array.from({ length: 5_000 }, () => newId<OrganizationId>());
  expect(await select({ ids: [...many, a], assigned: true })).toEqual([0, 25, 1, ["a"]]);
});

test("selectTeamsAmong lists the same by packed ids, few or many", async () => {
  const { selectTeamsAmong } = fixture.service.directory;
  const [a = "", b = "", , deleted = "", elsewhere = ""] = teams;
  const few = [a, b, deleted, elsewhere];
  const many = [...few, ...Array.from({ length: 1_500 }, () => newId<OrganizationId>())];
  for (const ids of [few, many]) {
    const select = async (request: Parameters<typeof selectTeamsAmong>[0]) => {
      const reply = await selectTeamsAmong({ organizationId: live, ids: packIds(ids), ...request });
      return [reply.totalCount, reply.teams.map(({ name }) => name)];
    };
    expect(await select({ assigned: true })).toEqual([2, ["b", "a"]]);
    expect(await select({ assigned: true, order: "created_at asc", pageSize: 1n })).toEqual([2, ["a"]]);
    expect(await select({ assigned: true, search: "B" })).toEqual([1, ["b"]]);
    expect(await select({ assigned: false })).toEqual([1, ["c"]]);
    expect(await select({ assigned: false, search: "B" })).toEqual([0, []]);
  }
  expect(await selectTeamsAmong({ organizationId: live, assigned: true })).toMatchObject({ totalCount: 0 });
  expect(await selectTeamsAmong({ organizationId: live })).toMatchObject({ totalCount: 3 });
});

test("listUserTeamIds returns an empty list for a malformed id", async () => {
  expect(await fixture.service.directory.listUserTeamIds({ userId: "x" })).toMatchObject({ teamIds: [] });
});
