import { refusal } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 USER_NOT_FOUND: user not found";
const TAKEN = "409 EMAIL_TAKEN: a user with this email exists already";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("createUser", () => {
  test("is allowed to services and to holders of Manage Users", async () => {
    const organization = await fixture.createOrganization();
    const provider = await fixture.createMember(organization, "Provider Admin");
    const orgAdmin = await fixture.createMember(organization, "Org Admin");
    const request = { email: "ada@example.test", firstName: "Ada", lastName: "L", avatarUrl: "https://example.test/a" };
    const { user } = await provider.users.createUser(request);
    expect(user).toMatchObject({ ...request, status: "active" });
    const denied = '403 PERMISSION_DENIED: permission "Manage Users" is required';
    expect(await refusal(orgAdmin.users.createUser({ email: "b@example.test" }))).toBe(denied);
    expect(await refusal(orgAdmin.users.createUser({ email: "b" }))).toMatch(/^400 INVALID_PARAMETER: email/);
  });

  test("an email is unique regardless of case, until its user is deleted", async () => {
    const create = (email: string) => fixture.service.users.createUser({ email });
    const { user } = await create("Grace@Example.test");
    expect(await refusal(create("gRACE@example.TEST"))).toBe(TAKEN);
    await execute(
      fixture.db,
      statement`
        update users
        set deleted_at = now()
        where id = $1`,
      [user?.id],
    );
    expect(await refusal(create("grace@example.test"))).toBe("not refused");
  });

  test("one of eight concurrent creations with one email succeeds", async () => {
    const calls = Array.from({ length: 8 }, () =>
      refusal(fixture.service.users.createUser({ email: "x@example.test" })),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === TAKEN)).toHaveLength(7);
  });

  test.each([
    ["firstName", "first_name"],
    ["lastName", "last_name"],
  ])("a %s of 256 characters is refused", async (field, name) => {
    const call = fixture.service.users.createUser({ email: "long@example.test", [field]: "x".repeat(256) });
    expect(await refusal(call)).toBe("400 INVALID_PARAMETER: " + name + " must be at most 255 characters");
  });
});

test("getUser returns users who share an organization with the caller", async () => {
  const [one, two] = [await fixture.createOrganization(), await fixture.createOrganization()];
  const person = await fixture.createMember(one, "User");
  const colleague = await fixture.createMember(one, "User");
  const stranger = await fixture.createMember(two, "Org Admin");
  const provider = await fixture.createMember(two, "Provider Admin");
  for (const who of [person, colleague, provider, fixture.service]) {
    expect((await who.users.getUser({ id: person.id.toUpperCase() })).user?.id).toBe(person.id);
  }
  for (const id of [stranger.id, newId<UserId>(), "x"]) {
    expect(await refusal(person.users.getUser({ id }))).toBe(NOT_FOUND);
  }
  await fixture.service.organizations.removeMember({ id: one, userId: colleague.id });
  expect(await refusal(colleague.users.getUser({ id: person.id }))).toBe(NOT_FOUND);
  expect((await colleague.users.getUser({ id: colleague.id })).user?.id).toBe(colleague.id);
});

test("getUser shows the email to the user, Org Admins of an organization of theirs, Provider Admins and services", async () => {
  const [one, two] = [await fixture.createOrganization(), await fixture.createOrganization()];
  const person = await fixture.createMember(one, "User");
  const orgAdmin = await fixture.createMember(one, "User", "Org Admin");
  const provider = await fixture.createMember(two, "Provider Admin");
  const colleague = await fixture.createMember(one, "Team Admin", "Workspace Admin");
  // An Org Admin, of another organization.
  await fixture.service.organizations.setMemberRoles({ id: two, userId: colleague.id, roleNames: ["Org Admin"] });
  const seenBy = async (who: Fixture["service"]) => (await who.users.getUser({ id: person.id })).user;
  const full = await seenBy(fixture.service);
  expect(full?.email).toMatch(/@example\.test$/);
  for (const who of [person, orgAdmin, provider]) {
    expect(await seenBy(who)).toEqual(full);
  }
  const seen = await seenBy(colleague);
  expect(seen).toEqual({ ...full, email: "", etag: expect.any(String) });
  expect(seen?.etag).not.toBe(full?.etag);
  await fixture.service.organizations.setMemberRoles({ id: one, userId: colleague.id, roleNames: ["Org Admin"] });
  expect(await seenBy(colleague)).toEqual(full);
});

test("getProfile returns the user's organizations, ordered by name, with the roles there", async () => {
  const [two, one] = [await fixture.createOrganization("b"), await fixture.createOrganization("a")];
  const person = await fixture.createMember(two, "Org Admin", "User");
  await fixture.service.organizations.setMemberRoles({ id: one, userId: person.id, roleNames: ["Team Admin"] });
  const { profile } = await person.users.getProfile({});
  expect(profile).toMatchObject({
    id: person.id,
    userId: person.id,
    status: "active",
    currentOrganization: "",
    roleNames: [],
    preferences: { selectedOrganization: "", selectedWorkspace: "" },
  });
  expect(profile?.organizations).toMatchObject({
    organizationsWithRoles: [
      { id: one, name: "a", roleNames: ["Team Admin"] },
      { id: two, name: "b", roleNames: ["User", "Org Admin"] },
    ],
    totalCount: 2,
  });
  expect(await refusal(fixture.service.users.getProfile({}))).toBe(NOT_FOUND);
});
