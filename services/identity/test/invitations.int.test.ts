import { refusal } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 INVITATION_NOT_FOUND: invitation not found";
const EXISTS = "409 INVITATION_EXISTS: the user has a pending invitation already";
const MEMBER = "409 MEMBER_EXISTS: the user is a member already";
const isNow = (status: string) => "409 INVITATION_NOT_PENDING: the invitation is " + status;
const denied = (key: string) => '403 PERMISSION_DENIED: permission "' + key + '" is required';
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
const setRoles = (who: Fixture["service"], userId: string, ...roleNames: string[]) =>
  who.organizations.setMemberRoles({ id: organization, userId, roleNames });

describe("a user is added", () => {
  const add = async (who: Who, ...roleNames: string[]) =>
    (await who.invitations.addMember({ organizationId: organization, userId: person.id, roleNames })).invitation;
  const adding = (who: Who) =>
    refusal(who.invitations.addMember({ organizationId: organization, userId: person.id, roleNames: ["User"] }));

  test("by an Org Admin: they are invited", async () => {
    expect(await add(orgAdmin, "User")).toMatchObject({ status: "pending", invitedBy: orgAdmin.id });
    expect(await rolesOf(person)).toEqual([]);
    expect(await adding(orgAdmin)).toBe(EXISTS);
  });

  test("by a Provider Admin: they are a member at once, and invited no more", async () => {
    const pending = await invite(orgAdmin, { userId: person.id }, "Org Admin");
    const added = await add(provider, "User", "Team Admin");
    expect(added).toMatchObject({ status: "accepted", invitedBy: provider.id, roleNames: ["User", "Team Admin"] });
    expect(await rolesOf(person)).toEqual(["User", "Team Admin"]);
    expect(await accept(person, pending.id)).toBe(isNow("revoked"));
    expect(await adding(provider)).toBe(MEMBER);
  });

  test("by a service: they are a member at once, by no user", async () => {
    expect(await add(fixture.service, "User")).toMatchObject({ status: "accepted", invitedBy: "" });
    expect(await rolesOf(person)).toEqual(["User"]);
  });

  test("by a Provider Admin 8 times at once: one call adds them", async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => adding(provider)));
    expect(results.filter((result) => result === MEMBER)).toHaveLength(7);
    expect(await rolesOf(person)).toEqual(["User"]);
  });
});

describe("a user becomes a member by accepting", () => {
  test("an invitation by user id", async () => {
    const invitation = await invite(orgAdmin, { userId: person.id.toUpperCase() }, "Team Admin", "User");
    expect(invitation).toMatchObject({
      organizationId: organization,
      userId: person.id,
      email: "",
      roleNames: ["User", "Team Admin"],
      invitedBy: orgAdmin.id,
      status: "pending",
    });
    const seconds = Number(invitation.expiresAt?.seconds) - Number(invitation.createdAt?.seconds);
    expect(seconds * 1_000).toBe(14 * DAY_MS);
    expect(await rolesOf(person)).toEqual([]);
    expect(await statuses(person)).toEqual([[invitation.id, "pending"]]);

    const accepted = await person.invitations.acceptInvitation({ id: invitation.id });
    expect(accepted.invitation).toEqual({ ...invitation, status: "accepted", etag: expect.any(String) });
    expect(accepted.invitation?.etag).not.toBe(invitation.etag);
    expect(await rolesOf(person)).toEqual(["User", "Team Admin"]);
    expect(await accept(person, invitation.id)).toBe(isNow("accepted"));
  });

  test("an invitation by the email of no user yet, in another case", async () => {
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

  test("an invitation sent by a service has no sender", async () => {
    const { id, invitedBy } = await invite(fixture.service, { userId: person.id }, "Provider Admin");
    expect(invitedBy).toBe("");
    expect(await accept(person, id)).toBe("not refused");
  });

  test("what others try with it is refused as if there were none", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "User");
    const stranger = await fixture.createPerson();
    for (const who of [stranger, orgAdmin, provider]) {
      expect(await accept(who, id)).toBe(NOT_FOUND);
      expect(await decline(who, id)).toBe(NOT_FOUND);
      expect(await statuses(who)).toEqual([]);
    }
    for (const who of [stranger, person]) expect(await revoke(who, id)).toBe(NOT_FOUND);
    for (const unknown of ["x", newId<UserId>()]) expect(await accept(person, unknown)).toBe(NOT_FOUND);
    const noUser = "404 USER_NOT_FOUND: user not found";
    expect(await accept(fixture.service, id)).toBe(noUser);
    expect(await refusal(fixture.service.invitations.listInvitations({}))).toBe(noUser);
  });
});

describe("an invitation that is not pending", () => {
  test("is declined for good, and the user may be invited again", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "User");
    expect(await decline(person, id)).toBe("not refused");
    expect(await accept(person, id)).toBe(isNow("declined"));
    expect(await revoke(orgAdmin, id)).toBe(isNow("declined"));
    await invite(orgAdmin, { userId: person.id }, "User");
  });

  test("is revoked for good", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "User");
    expect(await revoke(provider, id)).toBe("not refused");
    expect(await accept(person, id)).toBe(isNow("revoked"));
    expect(await decline(person, id)).toBe(isNow("revoked"));
    expect(await revoke(orgAdmin, id)).toBe(isNow("revoked"));
  });

  test("expires, and gives way to the next", async () => {
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

  test("ends with its organization", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "User");
    await orgAdmin.organizations.deleteOrganization({ id: organization });
    expect(await accept(person, id)).toBe(NOT_FOUND);
    expect(await decline(person, id)).toBe(NOT_FOUND);
    expect(await revoke(provider, id)).toBe(NOT_FOUND);
    expect(await statuses(person)).toEqual([]);
  });
});

describe("who may invite whom", () => {
  test.each(["User", "Team Admin", "Workspace Admin"] as const)("a %s may not", async (role) => {
    const member = await fixture.createMember(organization, role);
    const refused = denied("Manage Organization");
    const { id } = await invite(orgAdmin, { userId: person.id }, "User");
    expect(await refusal(inviting(member, { userId: person.id }, "User"))).toBe(refused);
    expect(await refusal(member.invitations.listInvitations({ organizationId: organization }))).toBe(refused);
    expect(await revoke(member, id)).toBe(refused);
  });

  test("no foreigner, and only a Provider Admin with the role Provider Admin", async () => {
    const unknown = "404 ORGANIZATION_NOT_FOUND: organization not found";
    expect(await refusal(inviting(person, { userId: person.id }, "User"))).toBe(unknown);
    expect(await refusal(person.invitations.listInvitations({ organizationId: organization }))).toBe(unknown);
    const refused = denied("View All Organizations");
    expect(await refusal(inviting(orgAdmin, { userId: person.id }, "User", "Provider Admin"))).toBe(refused);
    await invite(provider, { userId: person.id }, "Provider Admin");
    organization = "";
    expect(await refusal(inviting(orgAdmin, { userId: person.id }, "User"))).toBe(unknown);
  });

  test("the form of the request", async () => {
    const bad = /^400 INVALID_PARAMETER: /;
    const calls = [
      inviting(orgAdmin, { userId: "" }, "User"),
      inviting(orgAdmin, { userId: person.id, email: "a@b.cd" }, "User"),
      inviting(orgAdmin, { email: "a" }, "User"),
      inviting(orgAdmin, { email: "x".repeat(255) + "@b.cd" }, "User"),
      inviting(orgAdmin, { userId: person.id }),
      inviting(orgAdmin, { userId: person.id }, "King"),
      orgAdmin.invitations.listInvitations({ order: "email" }),
    ];
    for (const call of calls) expect(await refusal(call)).toMatch(bad);
    for (const userId of ["x", newId<UserId>()]) {
      expect(await refusal(inviting(orgAdmin, { userId }, "User"))).toBe("404 USER_NOT_FOUND: user not found");
    }
  });

  test("a member is not invited, by id or by email", async () => {
    const email = newId<UserId>() + "@example.test";
    const member = await fixture.createPerson(email);
    await setRoles(fixture.service, member.id, "User");
    expect(await refusal(inviting(orgAdmin, { userId: member.id }, "User"))).toBe(MEMBER);
    expect(await refusal(inviting(orgAdmin, { email: email.toUpperCase() }, "User"))).toBe(MEMBER);
  });

  test("a second pending invitation is refused, by id or by email", async () => {
    const email = newId<UserId>() + "@example.test";
    await invite(orgAdmin, { userId: person.id }, "User");
    await invite(orgAdmin, { email }, "User");
    expect(await refusal(inviting(orgAdmin, { userId: person.id }, "Team Admin"))).toBe(EXISTS);
    expect(await refusal(inviting(orgAdmin, { email: email.toUpperCase() }, "User"))).toBe(EXISTS);
  });

  test("no more are pending than the organization may have", async () => {
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
});

describe("an invitation gives no more than its sender and its organization still want", () => {
  const lost = "409 INVITER_LOST_ROLE: the sender of the invitation may no longer give its roles";

  test("not that of an Org Admin who was removed or demoted", async () => {
    const { id } = await invite(orgAdmin, { userId: person.id }, "Org Admin");
    await fixture.createMember(organization, "Org Admin");
    await setRoles(provider, orgAdmin.id, "User");
    expect(await accept(person, id)).toBe(lost);
    await provider.organizations.removeMember({ id: organization, userId: orgAdmin.id });
    expect(await accept(person, id)).toBe(lost);
    expect(await statuses(person)).toEqual([[id, "pending"]]);
    await setRoles(provider, orgAdmin.id, "Org Admin");
    expect(await accept(person, id)).toBe("not refused");
  });

  test("not the role Provider Admin of one who is only an Org Admin now", async () => {
    await setRoles(provider, orgAdmin.id, "Org Admin", "Provider Admin");
    const { id } = await invite(orgAdmin, { userId: person.id }, "Provider Admin");
    await setRoles(provider, orgAdmin.id, "Org Admin");
    expect(await accept(person, id)).toBe(lost);
  });

  test("not a way back: a member has no pending invitation", async () => {
    const email = newId<UserId>() + "@example.test";
    const member = await fixture.createPerson(email);
    const byId = await invite(orgAdmin, { userId: member.id }, "User");
    const byEmail = await invite(orgAdmin, { email }, "Team Admin");
    expect(await accept(member, byEmail.id)).toBe("not refused");
    await orgAdmin.organizations.removeMember({ id: organization, userId: member.id });
    expect(await accept(member, byId.id)).toBe(isNow("revoked"));

    const again = await invite(orgAdmin, { email }, "User");
    await setRoles(provider, member.id, "User");
    await orgAdmin.organizations.removeMember({ id: organization, userId: member.id });
    expect(await accept(member, again.id)).toBe(isNow("revoked"));
    expect(await rolesOf(member)).toEqual([]);
  });
});

test("lists are paged, ordered and searched like every list", async () => {
  const ids: string[] = [];
  for (const name of ["ada", "grace", "adele"]) {
    ids.push((await invite(orgAdmin, { email: name + "@list.test" }, "User")).id);
  }
  const list = async (query: object) => {
    const request = { organizationId: organization, order: "created_at asc", ...query };
    const { page, pageSize, totalCount, invitations } = await orgAdmin.invitations.listInvitations(request);
    return [page, pageSize, totalCount, invitations.map(({ id }) => ids.indexOf(id))];
  };
  expect(await list({})).toEqual([0, 25, 3, [0, 1, 2]]);
  expect(await list({ page: 1n, pageSize: 2n })).toEqual([1, 2, 3, [2]]);
  expect(await list({ search: "AD" })).toEqual([0, 25, 2, [0, 2]]);
  expect(await list({ order: "created_at" })).toEqual([0, 25, 3, [2, 1, 0]]);
});
