import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";

const TAKEN = "409 EMAIL_TAKEN: a user with this email exists already";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("createUser", () => {
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
});

test("getUser shows the email to the user, Org Admins of an organization of theirs, Provider Admins and services", async () => {
  const [one, two] = [await fixture.createOrganization(), await fixture.createOrganization()];
  const person = await fixture.createMember(one, "User");
  const orgAdmin = await fixture.createMember(one, "User", "Org Admin");
  const provider = await fixture.createMember(two, "Provider Admin");
  const colleague = await fixture.createMember(one, "Team Admin", "Workspace Admin");
  // An Org Admin, of another organization.
  await fixture.service.organizations.setMemberRoles({ id: two, userId: colleague.id, roleNames: ["Org Admin"] });
  const seenBy = async (who: Fixture["service"]) => (await who.users.getUser({ id: person.id.toUpperCase() })).user;
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
