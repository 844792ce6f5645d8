import { refusal } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 ORGANIZATION_NOT_FOUND: organization not found";
const NO_USER = "404 USER_NOT_FOUND: user not found";
const NO_MEMBER = "404 MEMBER_NOT_FOUND: member not found";
const denied = (key: string) => '403 PERMISSION_DENIED: permission "' + key + '" is required';

let fixture: Fixture;
let organization: string;
let orgAdmin: Person;
let provider: Person;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organization = await fixture.createOrganization();
  orgAdmin = await fixture.createMember(organization, "Org Admin");
  provider = await fixture.createMember(organization, "Provider Admin");
  person = await fixture.createPerson();
});
afterAll(() => fixture.stop());

const setRoles = (who: Fixture["service"], userId: string, ...roleNames: string[]) =>
  who.organizations.setMemberRoles({ id: organization, userId, roleNames });
const remove = (who: Fixture["service"], userId: string) =>
  who.organizations.removeMember({ id: organization, userId });
const rolesOf = async (who: Person) => (await who.users.getProfile({})).profile?.roleNames;

describe("setMemberRoles", () => {
  test("makes a member, and replaces the roles with those sent", async () => {
    const { member } = await setRoles(provider, person.id, "Workspace Admin", "Team Admin", "Team Admin");
    expect(member).toMatchObject({
      organizationId: organization,
      userId: person.id,
      roleNames: ["Team Admin", "Workspace Admin"],
    });
    expect(await rolesOf(person)).toEqual(["Team Admin", "Workspace Admin"]);
    await setRoles(orgAdmin, person.id, "User");
    expect(await rolesOf(person)).toEqual(["User"]);
  });

  test("refuses an empty list, unknown roles, unknown users and foreign organizations", async () => {
    const invalid = /^400 INVALID_PARAMETER: role_names must be a list of at least one of User, Team Admin/;
    expect(await refusal(setRoles(orgAdmin, person.id))).toMatch(invalid);
    expect(await refusal(setRoles(orgAdmin, person.id, "User", "root"))).toMatch(invalid);
    for (const userId of [newId<UserId>(), "x"]) {
      expect(await refusal(setRoles(provider, userId, "User"))).toBe(NO_USER);
      expect(await refusal(setRoles(orgAdmin, userId, "User"))).toBe(NO_MEMBER);
    }
    expect(await refusal(setRoles(person, person.id, "Org Admin"))).toBe(NOT_FOUND);
    organization = "x";
    expect(await refusal(setRoles(orgAdmin, person.id, "User"))).toBe(NOT_FOUND);
  });

  test("an Org Admin makes no member of a user who has not agreed to it", async () => {
    expect(await refusal(setRoles(orgAdmin, person.id, "User"))).toBe(NO_MEMBER);
    expect(await refusal(setRoles(orgAdmin, person.id, "Provider Admin"))).toBe(NO_MEMBER);
    expect((await person.users.getProfile({})).profile?.organizations?.totalCount).toBe(0);
  });

  test.each(["User", "Team Admin", "Workspace Admin"] as const)("a %s may not change any roles", async (role) => {
    const member = await fixture.createMember(organization, role);
    expect(await refusal(setRoles(member, member.id, "Org Admin"))).toBe(denied("Manage Organization"));
    expect(await refusal(setRoles(member, person.id, "User"))).toBe(denied("Manage Organization"));
  });

  test("only a Provider Admin or a service assigns or removes Provider Admin", async () => {
    const refused = denied("View All Organizations");
    expect(await refusal(setRoles(orgAdmin, orgAdmin.id, "Org Admin", "Provider Admin"))).toBe(refused);
    expect(await refusal(setRoles(orgAdmin, provider.id, "User"))).toBe(refused);
    expect(await refusal(remove(orgAdmin, provider.id))).toBe(refused);
    // A role that stays is neither assigned nor removed.
    await setRoles(orgAdmin, provider.id, "User", "Provider Admin");
    await setRoles(provider, person.id, "Provider Admin");
    await setRoles(provider, person.id, "User");
    await setRoles(fixture.service, person.id, "Provider Admin");
    expect(await rolesOf(person)).toEqual(["Provider Admin"]);
  });

  test("a Provider Admin may set roles in an organization without a role of their own", async () => {
    organization = await fixture.createOrganization();
    await setRoles(provider, person.id, "Org Admin");
    expect(await rolesOf(person)).toEqual(["Org Admin"]);
  });

  test("a removed role no longer counts in the very next call", async () => {
    await fixture.createMember(organization, "Org Admin");
    await setRoles(provider, orgAdmin.id, "User");
    expect(await refusal(setRoles(orgAdmin, orgAdmin.id, "User"))).toBe(denied("Manage Organization"));
  });

  test("a former Provider Admin loses the selection of organizations in which they have no role", async () => {
    const other = await fixture.createOrganization();
    const selectedWorkspace = fixture.workspaces.addWorkspace(other);
    await provider.users.updatePreferences({ selectedOrganization: other, selectedWorkspace });
    await setRoles(fixture.service, provider.id, "User");
    const { profile } = await provider.users.getProfile({});
    expect(profile?.preferences).toMatchObject({ selectedOrganization: "", selectedWorkspace: "" });
    expect(profile?.currentOrganization).toBe(organization);
  });
});

describe("removeMember", () => {
  test("deletes roles, team memberships and selections in that organization only", async () => {
    const other = await fixture.createOrganization();
    await setRoles(provider, person.id, "User");
    await fixture.service.organizations.setMemberRoles({ id: other, userId: person.id, roleNames: ["User"] });
    const { team } = await orgAdmin.teams.createTeam({ organizationId: organization });
    await orgAdmin.teams.addTeamMember({ id: team?.id ?? "", userId: person.id });
    const selectedWorkspace = fixture.workspaces.addWorkspace(organization);
    await person.users.updatePreferences({ selectedOrganization: organization, selectedWorkspace });

    await remove(orgAdmin, person.id);
    const { profile } = await person.users.getProfile({});
    expect(profile?.preferences).toMatchObject({ selectedOrganization: "", selectedWorkspace: "" });
    expect(profile?.organizations?.organizationsWithRoles).toMatchObject([{ id: other, roleNames: ["User"] }]);
    expect(await fixture.service.directory.listUserTeamIds({ userId: person.id })).toMatchObject({ teamIds: [] });
    expect(await refusal(person.organizations.getOrganization({ id: organization }))).toBe(NOT_FOUND);
    expect(await refusal(remove(orgAdmin, person.id))).toBe(NO_MEMBER);
    await setRoles(provider, person.id, "User");
    expect(await fixture.service.directory.listUserTeamIds({ userId: person.id })).toMatchObject({ teamIds: [] });
  });

  test("keeps a selection in another organization", async () => {
    const other = await fixture.createOrganization();
    await setRoles(provider, person.id, "User");
    await fixture.service.organizations.setMemberRoles({ id: other, userId: person.id, roleNames: ["User"] });
    const selectedWorkspace = fixture.workspaces.addWorkspace(other);
    const selection = { selectedOrganization: other, selectedWorkspace };
    const { preferences } = await person.users.updatePreferences(selection);
    await remove(orgAdmin, person.id);
    expect((await person.users.getProfile({})).profile?.preferences).toEqual(preferences);
  });

  test("a user may leave, but not remove another member", async () => {
    await setRoles(provider, person.id, "User");
    expect(await refusal(remove(person, orgAdmin.id))).toBe(denied("Manage Organization"));
    await remove(person, person.id.toUpperCase());
    expect(await refusal(remove(person, person.id))).toBe(NOT_FOUND);
    await remove(provider, provider.id);
    expect((await provider.users.getProfile({})).profile?.organizations?.totalCount).toBe(0);
  });

  test("a user who is not a member cannot be removed", async () => {
    expect(await refusal(remove(orgAdmin, person.id))).toBe(NO_MEMBER);
    expect(await refusal(remove(orgAdmin, "x"))).toBe(NO_MEMBER);
    expect(await refusal(remove(fixture.service, newId<UserId>()))).toBe(NO_MEMBER);
    expect(await refusal(remove(person, person.id))).toBe(NOT_FOUND);
  });

  test("no concurrent selection outlives the membership", async () => {
    await setRoles(provider, person.id, "User");
    const select = () => refusal(person.users.updatePreferences({ selectedOrganization: organization }));
    await Promise.all([
      ...Array.from({ length: 4 }, select),
      remove(orgAdmin, person.id),
      select(),
      select(),
      select(),
    ]);
    expect((await person.users.getProfile({})).profile?.preferences?.selectedOrganization).toBe("");
  });

  test("no concurrent addition to a team outlives the membership", async () => {
    await setRoles(provider, person.id, "User");
    const { team } = await orgAdmin.teams.createTeam({ organizationId: organization });
    const add = () => refusal(orgAdmin.teams.addTeamMember({ id: team?.id ?? "", userId: person.id }));
    await Promise.all([...Array.from({ length: 4 }, add), remove(orgAdmin, person.id), add(), add(), add()]);
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
