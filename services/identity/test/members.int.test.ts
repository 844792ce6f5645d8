import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

let fixture: Fixture;
let organization: string;
let orgAdmin: Person;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organization = await fixture.createOrganization();
  orgAdmin = await fixture.createMember(organization, "Org Admin");
  person = await fixture.createMember(organization, "User");
});
afterAll(() => fixture.stop());

const remove = () => orgAdmin.organizations.removeMember({ id: organization, userId: person.id.toUpperCase() });

test("a user whom an Org Admin gives roles without an invitation is no member", async () => {
  const stranger = await fixture.createPerson();
  const request = { id: organization, userId: stranger.id, roleNames: ["User"] };
  expect(await refusal(orgAdmin.organizations.setMemberRoles(request))).toMatch(/^404 MEMBER_NOT_FOUND/);
  expect((await stranger.users.getProfile({})).profile?.organizations?.totalCount).toBe(0);
});

describe("a member who is removed", () => {
  test("is in no team of the organization, nor after the next membership", async () => {
    const teamIds = async () => (await fixture.service.directory.listUserTeamIds({ userId: person.id })).teamIds;
    const { team } = await orgAdmin.teams.createTeam({ organizationId: organization });
    await orgAdmin.teams.addTeamMember({ id: team?.id ?? "", userId: person.id });
    expect(await teamIds()).toEqual([team?.id]);
    await remove();
    expect(await teamIds()).toEqual([]);
    const request = { id: organization, userId: person.id, roleNames: ["User"] };
    await fixture.service.organizations.setMemberRoles(request);
    expect(await teamIds()).toEqual([]);
  });

  test("leaves no selection that is made concurrently", async () => {
    const select = () => refusal(person.users.updatePreferences({ selectedOrganization: organization }));
    await Promise.all([...Array.from({ length: 4 }, select), remove(), select(), select(), select()]);
    expect((await person.users.getProfile({})).profile?.preferences?.selectedOrganization).toBe("");
  });

  test("is in no team that adds them concurrently", async () => {
    const { team } = await orgAdmin.teams.createTeam({ organizationId: organization });
    const add = () => refusal(orgAdmin.teams.addTeamMember({ id: team?.id ?? "", userId: person.id }));
    await Promise.all([...Array.from({ length: 4 }, add), remove(), add(), add(), add()]);
    const { rowCount } = await fixture.db.read(
      statement`
        select 1
        from team_members
        where user_id = $1`,
      [person.id],
    );
    expect(rowCount).toBe(0);
  });
});
