import { refusal } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { OrganizationCreatedSchema, OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteRemainingTeams } from "../src/organizations/delete-teams-of-organization.ts";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 ORGANIZATION_NOT_FOUND: organization not found";
const NO_USER = "404 USER_NOT_FOUND: user not found";
const denied = (key: string) => '403 PERMISSION_DENIED: permission "' + key + '" is required';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("createOrganization", () => {
  test("makes the caller its owner and Org Admin, and publishes the event", async () => {
    const person = await fixture.createPerson();
    const other = await fixture.createPerson();
    const request = { name: "Acme", description: "d", owner: other.id };
    const { organization } = await person.organizations.createOrganization(request);
    expect(organization).toMatchObject({ name: "Acme", description: "d", owner: person.id });
    expect(organization?.deletedAt).toBeUndefined();
    const id = organization?.id ?? "";
    expect((await person.organizations.getOrganization({ id })).organization).toEqual(organization);
    expect((await person.users.getProfile({})).profile?.roleNames).toEqual(["Org Admin"]);
    const events = await fixture.events(OrganizationCreatedSchema);
    expect(events.filter(({ organizationId }) => organizationId === id)).toMatchObject([{ owner: person.id }]);
  });

  test("a service may name the owner", async () => {
    const owner = await fixture.createPerson();
    const { organization } = await fixture.service.organizations.createOrganization({ owner: owner.id });
    expect(organization?.owner).toBe(owner.id);
    expect((await owner.users.getProfile({})).profile?.roleNames).toEqual(["Org Admin"]);
    const create = (id: string) => fixture.service.organizations.createOrganization({ owner: id });
    expect(await refusal(create(newId<UserId>()))).toBe(NO_USER);
    expect(await refusal(create("x"))).toBe(NO_USER);
    expect((await create("")).organization?.owner).toBe("");
  });

  test.each(["name", "description"])("accepts a %s of 255 characters, not of 256", async (field) => {
    const create = (length: number) =>
      fixture.service.organizations.createOrganization({ [field]: "\u{1F600}".repeat(length) });
    expect(await refusal(create(255))).toBe("not refused");
    expect(await refusal(create(256))).toBe("400 INVALID_PARAMETER: " + field + " must be at most 255 characters");
  });
});

describe("reading", () => {
  test("an organization that the caller is not a member of is not found", async () => {
    const id = await fixture.createOrganization();
    const person = await fixture.createPerson();
    expect(await refusal(person.organizations.getOrganization({ id }))).toBe(NOT_FOUND);
    expect(await refusal(person.organizations.getOrganization({ id: "x" }))).toBe(NOT_FOUND);
    expect(await refusal(person.organizations.deleteOrganization({ id }))).toBe(NOT_FOUND);
  });

  test("the list contains the caller's organizations, or all for a Provider Admin", async () => {
    const mark = newId<UserId>();
    const [one, two] = [await fixture.createOrganization(mark), await fixture.createOrganization(mark)];
    const member = await fixture.createMember(one, "User");
    const provider = await fixture.createMember(one, "Provider Admin");
    const list = async (who: Person | Fixture["service"]) => {
      const { organizations, totalCount } = await who.organizations.listOrganizations({ search: mark });
      return [totalCount, organizations.map(({ id }) => id)];
    };
    expect(await list(member)).toEqual([1, [one]]);
    expect(await list(provider)).toEqual([2, [two, one]]);
    expect(await list(fixture.service)).toEqual([2, [two, one]]);
    expect((await provider.organizations.getOrganization({ id: two })).organization?.id).toBe(two);
  });

  test("the refusal of a malformed list parameter names it", async () => {
    const list = (request: { order?: string; page?: bigint; pageSize?: bigint }) =>
      refusal(fixture.service.organizations.listOrganizations(request));
    expect(await list({ order: "name" })).toMatch(/^400 INVALID_PARAMETER: order/);
    expect(await list({ page: -1n })).toMatch(/^400 INVALID_PARAMETER: page /);
    expect(await list({ pageSize: -1n })).toMatch(/^400 INVALID_PARAMETER: page_size/);
  });
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

  test("needs Manage Organization", async () => {
    const organization = await fixture.createOrganization();
    for (const role of ["User", "Team Admin", "Workspace Admin"] as const) {
      const member = await fixture.createMember(organization, role);
      const call = member.organizations.deleteOrganization({ id: organization });
      expect(await refusal(call)).toBe(denied("Manage Organization"));
    }
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
