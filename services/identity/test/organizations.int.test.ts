import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { OrganizationCreatedSchema, OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteRemainingTeams } from "../src/organizations/delete-teams-of-organization.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 ORGANIZATION_NOT_FOUND: organization not found";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

test("createOrganization makes its owner an Org Admin, and publishes the event", async () => {
  const person = await fixture.createPerson();
  const { organization } = await person.organizations.createOrganization({ name: "Acme" });
  const id = organization?.id ?? "";
  expect((await person.organizations.getOrganization({ id })).organization).toEqual(organization);
  expect((await person.users.getProfile({})).profile?.roleNames).toEqual(["Org Admin"]);
  const events = await fixture.events(OrganizationCreatedSchema);
  expect(events.filter(({ organizationId }) => organizationId === id)).toMatchObject([{ owner: person.id }]);
});

/** Inserts teams, with two members each. */
const insertTeams = statement`
  with inserted as (
    insert into teams (id, organization_id, name)
    select gen_random_uuid(), $1, 'of a large organization'
    from generate_series(1, $2::integer)
    returning id
  )
  insert into team_members (team_id, user_id)
  select inserted.id, users.id
  from inserted, (select id from users limit 2) users`;

async function liveTeams(organization: string): Promise<number> {
  const live = statement`
    select 1
    from teams
    where organization_id = $1 and deleted_at is null`;
  return (await fixture.db.read(live, [organization])).rowCount ?? 0;
}

describe("deleteOrganization", () => {
  test("deletes its teams, memberships and selections, and publishes one event", async () => {
    const organization = await fixture.createOrganization();
    const admin = await fixture.createMember(organization, "Org Admin");
    const { team } = await admin.teams.createTeam({ organizationId: organization });
    await admin.teams.addTeamMember({ id: team?.id ?? "", userId: admin.id });
    const workspace = fixture.workspaces.addWorkspace(organization);
    const selection = { selectedOrganization: organization, selectedWorkspace: workspace };
    await admin.users.updatePreferences(selection);
    await admin.organizations.deleteOrganization({ id: organization });

    const { profile } = await admin.users.getProfile({});
    expect(profile).toMatchObject({ currentOrganization: "", roleNames: [], organizations: { totalCount: 0 } });
    expect(profile?.preferences).toMatchObject({ selectedOrganization: "", selectedWorkspace: "" });
    expect(await refusal(admin.organizations.deleteOrganization({ id: organization }))).toBe(NOT_FOUND);
    const byService = fixture.service;
    expect(await refusal(byService.organizations.deleteOrganization({ id: organization }))).toBe(NOT_FOUND);
    expect(await byService.directory.batchGetTeams({ ids: [team?.id ?? ""] })).toMatchObject({ teams: [] });
    expect(await byService.directory.listUserTeamIds({ userId: admin.id })).toMatchObject({ teamIds: [] });
    const { rowCount } = await fixture.db.read(
      statement`
        select 1
        from memberships
        where organization_id = $1`,
      [organization],
    );
    expect(rowCount).toBe(0);
    const events = await fixture.events(OrganizationDeletedSchema);
    expect(events.filter(({ organizationId }) => organizationId === organization)).toMatchObject([{ actor: admin.id }]);
  });

  test("deletes 250 teams at once, the others in passes, and lists none of them meanwhile", async () => {
    const organization = await fixture.createOrganization();
    const provider = await fixture.createMember(await fixture.createOrganization(), "Provider Admin");
    const listAll = async () => {
      const { teams, totalCount } = await provider.teams.listTeams({ orgId: "all", pageSize: 100n });
      return { totalCount, listed: teams.filter(({ organizationId }) => organizationId === organization).length };
    };
    const { totalCount } = await listAll();
    await execute(fixture.db, insertTeams, [organization, 600]);
    expect(await listAll()).toEqual({ totalCount: totalCount + 600, listed: 100 });
    await fixture.service.organizations.deleteOrganization({ id: organization });
    expect(await liveTeams(organization)).toBe(350);
    expect(await listAll()).toEqual({ totalCount, listed: 0 });
    const { teams } = await provider.teams.listTeams({ orgId: "all", search: "of a large organization" });
    expect(teams).toEqual([]);
    const { rows } = await fixture.db.read(
      statement<{ id: string }>`select id from teams where organization_id = $1 and deleted_at is null limit 1`,
      [organization],
    );
    const id = rows[0]?.id ?? "";
    expect(await refusal(provider.teams.getTeam({ id }))).toBe("404 TEAM_NOT_FOUND: team not found");
    expect(await refusal(provider.teams.updateTeam({ id, name: "Kept" }))).toBe("404 TEAM_NOT_FOUND: team not found");

    await Promise.all([deleteRemainingTeams(fixture.db), deleteRemainingTeams(fixture.db)]);
    await deleteRemainingTeams(fixture.db);
    expect(await liveTeams(organization)).toBe(0);
    expect(await listAll()).toEqual({ totalCount, listed: 0 });
    expect((await fixture.db.read(statement`select from ending_organizations`)).rowCount).toBe(0);
  });

  test("one of eight concurrent deletions succeeds", async () => {
    const organization = await fixture.createOrganization();
    const calls = Array.from({ length: 8 }, () =>
      refusal(fixture.service.organizations.deleteOrganization({ id: organization })),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === NOT_FOUND)).toHaveLength(7);
  });

  test("no team that is created concurrently outlives the organization", async () => {
    const organization = await fixture.createOrganization();
    const admin = await fixture.createMember(organization, "Team Admin");
    const create = () => refusal(admin.teams.createTeam({ organizationId: organization }));
    await Promise.all([
      ...Array.from({ length: 6 }, create),
      fixture.service.organizations.deleteOrganization({ id: organization }),
      ...Array.from({ length: 6 }, create),
    ]);
    expect(await liveTeams(organization)).toBe(0);
  });
});
