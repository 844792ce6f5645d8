import { refusal } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 INVITATION_NOT_FOUND: invitation not found";
const MEMBER = "409 MEMBER_EXISTS: the user is a member already";
const isNow = (status: string) => "409 INVITATION_NOT_PENDING: the invitation is " + status;
const DAY_MS = 86_400_000;

let fixture: Fixture;
let organization: string;
let orgAdmin: Person;
let provider: Person;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture({ maxPendingInvitations: 3 });
});
beforeEach(async () => {
  organization = await fixture.createOrganization();
  orgAdmin = await fixture.createMember(organization, "Org Admin");
  provider = await fixture.createMember(await fixture.createOrganization(), "Provider Admin");
  person = await fixture.createPerson();
});
afterAll(() => fixture.stop());

type Who = Pick<Fixture["service"], "invitations">;
type Invited = { userId: string } | { email: string };
const inviting = (who: Who, invited: Invited, ...roleNames: string[]) =>
  who.invitations.createInvitation({ organizationId: organization, ...invited, roleNames });
const invite = async (who: Who, invited: Invited, ...roleNames: string[]) => {
  const { invitation } = await inviting(who, invited, ...roleNames);
  if (invitation === undefined) throw new Error("no invitation was returned");
  return invitation;
};
const accept = (who: Who, id: string) => refusal(who.invitations.acceptInvitation({ id }));
const decline = (who: Who, id: string) => refusal(who.invitations.declineInvitation({ id }));
const revoke = (who: Who, id: string) => refusal(who.invitations.revokeInvitation({ id }));
const rolesOf = async (who: Person) => (await who.users.getProfile({})).profile?.roleNames;
const statuses = async (who: Who, organizationId = "") =>
  (await who.invitations.listInvitations({ organizationId })).invitations.map(({ id, status }) => [id, status]);
const expire = (id: string) =>
  execute(fixture.db, statement`update invitations set expires_at = now() - interval '1 second' where id = $1`, [id]);
const tagOf = async (id: string) =>
  (await orgAdmin.invitations.getInvitation({ organizationId: organization, id })).invitation?.etag;
const rowTagOf = async (id: string) => {
  const text = statement<{ etag: string }>`select etag from invitations where id = $1`;
  return (await fixture.db.read(text, [id])).rows[0]?.etag;
};

describe("a user becomes a member", () => {
  const add = (who: Who) =>
    refusal(who.invitations.addMember({ organizationId: organization, userId: person.id, roleNames: ["User"] }));

  test("not when an Org Admin adds them, which is an invitation", async () => {
    expect(await add(orgAdmin)).toBe("not refused");
    expect(await rolesOf(person)).toEqual([]);
  });

  test("once when a Provider Admin adds them 8 times at once", async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => add(provider)));
    expect(results.filter((result) => result === MEMBER)).toHaveLength(7);
    expect(await rolesOf(person)).toEqual(["User"]);
  });

  test("when a Provider Admin adds them after their invitation has expired", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "Team Admin");
    await expire(id);
    expect(await add(provider)).toBe("not refused");
    expect(await rolesOf(person)).toEqual(["User"]);
  });

  test("by accepting an invitation, which is open for 14 days", async () => {
    const invitation = await invite(orgAdmin, { userId: person.id.toUpperCase() }, "Team Admin", "User");
    const seconds = Number(invitation.expiresAt?.seconds) - Number(invitation.createdAt?.seconds);
    expect(seconds * 1_000).toBe(14 * DAY_MS);
    expect(await rolesOf(person)).toEqual([]);

    const accepted = await person.invitations.acceptInvitation({ id: invitation.id });
    expect(accepted.invitation).toEqual({ ...invitation, status: "accepted", etag: expect.any(String) });
    expect(accepted.invitation?.etag).not.toBe(invitation.etag);
    expect(await rolesOf(person)).toEqual(["User", "Team Admin"]);
  });

  test("by accepting an invitation to their email, in another case, from before they were a user", async () => {
    const email = newId<UserId>() + "@Example.test";
    const invitation = await invite(orgAdmin, { email: " " + email + " " }, "User");
    expect(invitation).toMatchObject({ userId: "", email: email.toLowerCase() });
    expect(await accept(person, invitation.id)).toBe(NOT_FOUND);
    const later = await fixture.createPerson(email.toUpperCase());
    expect(await statuses(later)).toEqual([[invitation.id, "pending"]]);
    const accepted = await later.invitations.acceptInvitation({ id: invitation.id });
    expect(accepted.invitation).toMatchObject({ userId: later.id, email: email.toLowerCase(), status: "accepted" });
    expect(await rolesOf(later)).toEqual(["User"]);
  });

  test("by one of two invitations, and not again by the other one", async () => {
    const email = newId<UserId>() + "@example.test";
    const member = await fixture.createPerson(email);
    const byId = await invite(orgAdmin, { userId: member.id }, "User");
    const byEmail = await invite(orgAdmin, { email }, "Team Admin");
    expect(await accept(member, byEmail.id)).toBe("not refused");
    await orgAdmin.organizations.removeMember({ id: organization, userId: member.id });
    expect(await accept(member, byId.id)).toBe(isNow("revoked"));

    const again = await invite(orgAdmin, { email }, "User");
    const roles = { id: organization, userId: member.id, roleNames: ["User"] };
    await provider.organizations.setMemberRoles(roles);
    await orgAdmin.organizations.removeMember({ id: organization, userId: member.id });
    expect(await accept(member, again.id)).toBe(isNow("revoked"));
    expect(await rolesOf(member)).toEqual([]);
  });
});

test("an invitation that cannot be accepted stays pending", async () => {
  const { id } = await invite(orgAdmin, { userId: person.id }, "Org Admin");
  await fixture.createMember(organization, "Org Admin");
  await provider.organizations.removeMember({ id: organization, userId: orgAdmin.id });
  expect(await accept(person, id)).toMatch(/^409 INVITER_LOST_ROLE/);
  expect(await statuses(person)).toEqual([[id, "pending"]]);
});

test("an invitation expires, and gives way to the next", async () => {
  const { id } = await invite(orgAdmin, { userId: person.id }, "User");
  await expire(id);
  const pending = await rowTagOf(id);
  const expired = await tagOf(id);
  // The time has passed without a write: the row is that of a pending one.
  expect([pending, await rowTagOf(id)]).not.toContain(expired);
  expect(await statuses(person)).toEqual([[id, "expired"]]);
  expect(await statuses(orgAdmin, organization)).toEqual([[id, "expired"]]);
  for (const work of [accept(person, id), decline(person, id), revoke(orgAdmin, id)]) {
    expect(await work).toBe(isNow("expired"));
  }
  const next = await invite(orgAdmin, { userId: person.id }, "User");
  const { events } = await orgAdmin.audit.listAuditEvents({ organizationId: organization });
  const actions = events.filter(({ target }) => target === id).map(({ actor, action }) => [actor, action]);
  expect(actions).toEqual([
    ["service:identity", "invitation.expired"],
    [orgAdmin.id, "invitation.created"],
  ]);
  expect(await statuses(person)).toEqual([
    [next.id, "pending"],
    [id, "expired"],
  ]);
  expect([pending, expired]).not.toContain(await tagOf(id));
  expect(await accept(person, next.id)).toBe("not refused");
});

test("no more invitations are pending than the organization may have", async () => {
  const full = "409 TOO_MANY_INVITATIONS: an organization has at most 3 pending invitations";
  const emails = Array.from({ length: 4 }, () => newId<UserId>() + "@example.test");
  const [one, two] = [
    await invite(orgAdmin, { email: emails[0] ?? "" }, "User"),
    await invite(orgAdmin, { email: emails[1] ?? "" }, "User"),
  ];
  await invite(orgAdmin, { email: emails[2] ?? "" }, "User");
  expect(await refusal(inviting(orgAdmin, { email: emails[3] ?? "" }, "User"))).toBe(full);
  await revoke(orgAdmin, one.id);
  await invite(orgAdmin, { email: emails[3] ?? "" }, "User");
  expect(await refusal(inviting(orgAdmin, { email: emails[0] ?? "" }, "User"))).toBe(full);
  await expire(two.id);
  await invite(orgAdmin, { email: emails[0] ?? "" }, "User");
});
