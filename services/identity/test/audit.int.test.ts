import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import { RemoveMemberRequestSchema } from "@cloud/proto/identity/v1/organization_service_pb";
import { countRows } from "@cloud/service/testing";
import { execute, waitFor } from "@cloud/testkit";
import type { CallOptions } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { insertAuditEvents } from "../src/audit/sql.ts";
import type { AuditEventId } from "../src/ids.ts";
import { removeMember } from "../src/members/remove-member.ts";
import { deleteRemainingTeams } from "../src/organizations/delete-teams-of-organization.ts";
import { type Fixture, type Person, startFixture } from "./fixture.ts";
import { openRaceContexts } from "./races/race-contexts.ts";

let fixture: Fixture;
let organization: string;
let orgAdmin: Person;
let provider: Person;
let person: Person;

beforeAll(async () => {
  // The reports of refused callers wait until the service stops, or until a test has a service of its own.
  fixture = await startFixture({ refusedEveryMs: 3_600_000 });
});
beforeEach(async () => {
  organization = await fixture.createOrganization();
  orgAdmin = await fixture.createMember(organization, "Org Admin");
  provider = await fixture.createMember(organization, "Provider Admin");
  person = await fixture.createPerson();
});
afterAll(() => fixture.stop());

type Who = Pick<Fixture["service"], "audit">;
const list = async (who: Who, request: object = { organizationId: organization }) =>
  (await who.audit.listAuditEvents({ pageSize: 100n, ...request })).events;
/** Returns the entries that the work appends to the log of the whole system, oldest first. */
async function entriesOf(work: () => Promise<unknown>) {
  const [last] = await list(provider, { organizationId: "" });
  await work();
  const events = await list(provider, { organizationId: "" });
  const added = events
    .slice(
      0,
      events.findIndex(({ id }) => id === last?.id),
    )
    .toReversed();
  return added.map(({ actor, action, target, organizationId, metadata }) => ({
    actor,
    action,
    target,
    organizationId,
    metadata,
  }));
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const withRequestId = (id: string): CallOptions => ({ headers: { "x-request-id": id } });

describe("every change has its entry", () => {
  test("users and tokens", async () => {
    let [userId, tokenId] = ["", ""];
    const entries = await entriesOf(async () => {
      userId = (await provider.users.createUser({ email: "audit@example.test" })).user?.id ?? "";
      tokenId = (await orgAdmin.tokens.createToken({ name: "laptop" })).token?.id ?? "";
      await orgAdmin.tokens.revokeToken({ id: tokenId });
      await orgAdmin.tokens.revokeToken({ id: tokenId });
    });
    const token = { actor: orgAdmin.id, target: tokenId, organizationId: "" };
    const metadata = { userId: orgAdmin.id, name: "laptop" };
    expect(entries).toEqual([
      { actor: provider.id, action: "user.created", target: userId, organizationId: "", metadata: {} },
      { ...token, action: "token.created", metadata },
      { ...token, action: "token.revoked", metadata },
    ]);
  });

  test("organizations, members and roles", async () => {
    let id = "";
    const entries = await entriesOf(async () => {
      id = (await orgAdmin.organizations.createOrganization({})).organization?.id ?? "";
      await provider.organizations.setMemberRoles({ id, userId: person.id, roleNames: ["User"] });
      await orgAdmin.organizations.setMemberRoles({ id, userId: person.id, roleNames: ["Team Admin"] });
      await orgAdmin.organizations.setMemberRoles({ id, userId: person.id, roleNames: ["Team Admin"] });
      await person.organizations.removeMember({ id, userId: person.id });
      await orgAdmin.organizations.deleteOrganization({ id });
    });
    const owner = orgAdmin.id;
    const member = { target: person.id, organizationId: id };
    expect(entries).toEqual([
      { actor: owner, action: "organization.created", target: id, organizationId: id, metadata: { owner } },
      {
        actor: owner,
        action: "member.added",
        target: owner,
        organizationId: id,
        metadata: { roleNames: ["Org Admin"] },
      },
      { ...member, actor: provider.id, action: "member.added", metadata: { roleNames: ["User"] } },
      {
        ...member,
        actor: owner,
        action: "member.roles_changed",
        metadata: { given: ["Team Admin"], taken: ["User"] },
      },
      { ...member, actor: person.id, action: "member.removed", metadata: { roleNames: ["Team Admin"] } },
      { actor: owner, action: "organization.deleted", target: id, organizationId: id, metadata: {} },
    ]);
  });

  test("teams and their members", async () => {
    let id = "";
    const entries = await entriesOf(async () => {
      id = (await orgAdmin.teams.createTeam({ organizationId: organization })).team?.id ?? "";
      const member = { id, userId: provider.id };
      await orgAdmin.teams.updateTeam({ id });
      await orgAdmin.teams.updateTeam({ id, name: "Platform" });
      await orgAdmin.teams.addTeamMember(member);
      await orgAdmin.teams.addTeamMember(member);
      await provider.teams.removeTeamMember(member);
      expect(await refusal(provider.teams.removeTeamMember(member))).toMatch(/^404/);
      await orgAdmin.teams.deleteTeam({ id });
    });
    const team = { actor: orgAdmin.id, target: id, organizationId: organization, metadata: {} };
    const member = { target: provider.id, organizationId: organization, metadata: { teamId: id } };
    expect(entries).toEqual([
      { ...team, action: "team.created" },
      { ...team, action: "team.updated", metadata: { name: "Platform" } },
      { ...member, actor: orgAdmin.id, action: "team_member.added" },
      { ...member, actor: provider.id, action: "team_member.removed" },
      { ...team, action: "team.deleted" },
    ]);
  });

  test("curricula and their registrations", async () => {
    const member = await fixture.createMember(organization, "User");
    let id = "";
    const entries = await entriesOf(async () => {
      const { curriculum } = await orgAdmin.curricula.createCurriculum({ organizationId: organization, title: "Go" });
      id = curriculum?.id ?? "";
      await member.curricula.registerForCurriculum({ id });
      await member.curricula.registerForCurriculum({ id });
    });
    expect(entries).toEqual([
      { actor: orgAdmin.id, action: "curriculum.created", target: id, organizationId: organization, metadata: {} },
      {
        actor: member.id,
        action: "registration.created",
        target: member.id,
        organizationId: organization,
        metadata: { curriculumId: id },
      },
    ]);
  });

  test("members of teams, when they leave the organization", async () => {
    const member = await fixture.createMember(organization, "User");
    const [first = "", second = ""] = await newTeams(2);
    await newTeams(1);
    for (const id of [first, second]) await orgAdmin.teams.addTeamMember({ id, userId: member.id });
    const remove = () => orgAdmin.organizations.removeMember({ id: organization, userId: member.id });
    const removed = { actor: orgAdmin.id, target: member.id, organizationId: organization };
    expect(await entriesOf(remove)).toEqual([
      { ...removed, action: "member.removed", metadata: { roleNames: ["User"] } },
      ...[first, second].map((teamId) => ({ ...removed, action: "team_member.removed", metadata: { teamId } })),
    ]);
  });

  test("teams, when their organization is deleted: the first 250 with it, the others by the service", async () => {
    await execute(
      fixture.db,
      statement`insert into teams (id, organization_id) select gen_random_uuid(), $1 from generate_series(1, 255)`,
      [organization],
    );
    await orgAdmin.organizations.deleteOrganization({ id: organization });
    await deleteRemainingTeams(fixture.db);
    const { rows } = await fixture.db.read(
      statement`
        select actor, action, metadata, count(distinct target)::integer as targets, count(*)::integer as entries
        from audit_events
        where organization_id = $1 and target <> $1::text and action <> 'member.added'
        group by actor, action, metadata
        order by entries desc`,
      [organization],
    );
    expect(rows).toEqual([
      { actor: orgAdmin.id, action: "team.deleted", metadata: {}, targets: 250, entries: 250 },
      { actor: "service:identity", action: "team.deleted", metadata: {}, targets: 5, entries: 5 },
    ]);
  });

  async function newTeams(count: number): Promise<string[]> {
    const teams: string[] = [];
    while (teams.length < count) {
      teams.push((await orgAdmin.teams.createTeam({ organizationId: organization })).team?.id ?? "");
    }
    return teams;
  }

  test("invitations", async () => {
    const invite = async (invitee: { userId: string } | { email: string }) => {
      const request = { organizationId: organization, roleNames: ["User"], ...invitee };
      return (await orgAdmin.invitations.createInvitation(request)).invitation?.id ?? "";
    };
    const ids: string[] = [];
    const entries = await entriesOf(async () => {
      ids.push(await invite({ email: "audited@example.test" }), await invite({ userId: person.id }));
      await orgAdmin.invitations.revokeInvitation({ id: ids[0] ?? "" });
      await person.invitations.declineInvitation({ id: ids[1] ?? "" });
      ids.push(await invite({ userId: person.id }));
      await person.invitations.acceptInvitation({ id: ids[2] ?? "" });
    });
    const seen = entries.map(({ actor, action, target }) => [
      actor === person.id ? "person" : actor === orgAdmin.id && "orgAdmin",
      action,
      target === person.id ? "person" : ids.indexOf(target),
    ]);
    expect(seen).toEqual([
      ["orgAdmin", "invitation.created", 0],
      ["orgAdmin", "invitation.created", 1],
      ["orgAdmin", "invitation.revoked", 0],
      ["person", "invitation.declined", 1],
      ["orgAdmin", "invitation.created", 2],
      ["person", "invitation.accepted", 2],
      ["person", "member.added", "person"],
    ]);
    expect(entries[0]?.metadata).toEqual({ email: "audited@example.test", roleNames: ["User"] });
    expect(entries[6]?.metadata).toEqual({ roleNames: ["User"], invitationId: ids[2] });
  });

  test("a service is named, a request id in another form is replaced", async () => {
    const created = async (id: string) => {
      await fixture.service.organizations.createOrganization({}, withRequestId(id));
      return (await list(provider, { organizationId: "" }))[0];
    };
    expect(await created("r-1")).toMatchObject({ actor: "service:operator", requestId: "r-1" });
    expect(await created("two words")).toMatchObject({ requestId: expect.stringMatching(UUID) });
    expect(await created("x".repeat(129))).toMatchObject({ requestId: expect.stringMatching(UUID) });
  });

  test("a change that is refused has none", async () => {
    const entries = await entriesOf(async () => {
      await refusal(orgAdmin.organizations.removeMember({ id: organization, userId: orgAdmin.id }));
      await refusal(orgAdmin.tokens.revokeToken({ id: organization }));
    });
    expect(entries).toEqual([]);
  });

  test("a change whose entry cannot be written is not made", async () => {
    const races = openRaceContexts(fixture);
    const failing = races.contextWith((text) => (text.includes("insert into audit_events") ? "select 1 / 0" : text));
    await fixture.service.organizations.setMemberRoles({ id: organization, userId: person.id, roleNames: ["User"] });
    const request = create(RemoveMemberRequestSchema, { id: organization, userId: person.id });
    await expect(removeMember(failing, systemCaller(), request)).rejects.toThrow();
    await races.close();
    expect(await countRows(fixture.db, sql`memberships where user_id = $1`, [person.id])).toBe(1);
  });
});

test("an organization's log has its entries and no others, for each reader", async () => {
  const events = await list(orgAdmin);
  expect(events.length).toBeGreaterThan(0);
  expect(new Set(events.map((event) => event.organizationId))).toEqual(new Set([organization]));
  expect(await list(provider)).toEqual(events);
});

describe("the log, followed oldest first", () => {
  test("has an entry that was committed after later ones", async () => {
    const change = () => fixture.createMember(organization, "User");
    let cursor = "";
    const seen = new Set<string>();
    const readOn = async () => {
      for (let next = cursor || "first"; next !== ""; ) {
        cursor = next === "first" ? "" : next;
        const request = { organizationId: organization, order: "created_at asc", cursor, pageSize: 2n };
        const { events, nextCursor } = await orgAdmin.audit.listAuditEvents(request);
        for (const { id } of events) seen.add(id);
        next = nextCursor;
      }
    };
    const late = newId<AuditEventId>();
    await fixture.db.transaction(async (tx) => {
      const event = { id: late, actor: "", action: "late", target: "", metadata: {}, requestId: "" };
      insertAuditEvents(tx, [{ ...event, organizationId: organization as OrganizationId }]);
      for (let n = 0; n < 3; n++) await change();
      await readOn();
      expect(seen).not.toContain(late);
    });
    await change();
    await readOn();
    expect(seen).toContain(late);
    expect([...seen].toSorted()).toEqual((await list(orgAdmin)).map(({ id }) => id).toSorted());
  });
});

describe("the cursor", () => {
  test("continues where the page ended, while entries are added", async () => {
    for (let n = 0; n < 5; n++)
      await orgAdmin.organizations.setMemberRoles({
        id: organization,
        userId: orgAdmin.id,
        roleNames: n % 2 === 0 ? ["Org Admin", "User"] : ["Org Admin"],
      });
    const all = (await list(orgAdmin)).map(({ id }) => id);
    const paged: string[] = [];
    let cursor = "";
    do {
      const { events, nextCursor } = await orgAdmin.audit.listAuditEvents({
        organizationId: organization,
        cursor,
        pageSize: 2n,
      });
      expect(events.length).toBeLessThanOrEqual(2);
      paged.push(...events.map(({ id }) => id));
      cursor = nextCursor;
      await fixture.createMember(organization, "User");
    } while (cursor !== "");
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
  });

  test("leads through pages of 25 entries, or of at most 100", async () => {
    await execute(
      fixture.db,
      statement`
        insert into audit_events (id, actor, action, target, organization_id, metadata, request_id)
        select gen_random_uuid(), '', 'test', '', $1, '{}', ''
        from generate_series(1, 120)`,
      [organization],
    );
    expect((await orgAdmin.audit.listAuditEvents({ organizationId: organization })).events).toHaveLength(25);
    const many = { organizationId: organization, pageSize: 1_000n };
    expect((await orgAdmin.audit.listAuditEvents(many)).events).toHaveLength(100);
  });
});

describe("refused callers", () => {
  const refusedRows = async (db: Fixture["db"]) =>
    (
      await db.read(statement<{ action: string; target: string; metadata: { count: number }; row: string }>`
        select action, target, metadata, to_jsonb(audit_events)::text as row
        from audit_events
        where action like '%.refused'
        order by created_at, id`)
    ).rows;

  test("are one entry at once and one for the rest, by kind, without what was presented", async () => {
    const own = await startFixture({ refusedEveryMs: 2_000 });
    try {
      const invented = Array.from({ length: 20 }, (_, index) => "cst_" + String(index).padEnd(43, "z"));
      for (const token of invented) expect(await refusal(own.as(token).users.getProfile({}))).toMatch(/^401 /);
      for (const token of invented)
        expect(await refusal(own.as(token).directory.listLiveOrganizationIds({}))).toMatch(/^401 /);
      for (const token of invented) expect(await refusal(own.service.auth.authenticate({ token }))).toMatch(/^401 /);
      const { token: valid } = await own.createPerson();
      await own.service.auth.batchAuthenticate({ tokens: [valid, ...invented] });
      const counts = async () => {
        const rows = await refusedRows(own.db);
        const of = (action: string) =>
          rows.filter((row) => row.action === action).reduce((sum, { metadata }) => sum + metadata.count, 0);
        return [of("token.refused"), of("service_credential.refused")];
      };
      await waitFor(async () => (String(await counts()) === "60,20" ? true : undefined), { deadlineMs: 30_000 });
      const rows = await refusedRows(own.db);
      expect(rows[0]).toMatchObject({ target: "identity.v1.UserService/GetProfile", metadata: { count: 1 } });
      for (const token of invented) expect(JSON.stringify(rows)).not.toContain(token.slice(0, 10));
    } finally {
      await own.stop();
    }
  });
});

test.each([sql`update audit_events set actor = ''`, sql`delete from audit_events`, sql`truncate audit_events`])(
  "the program's role may not %s",
  async (text) => {
    await expect(execute(fixture.db, text)).rejects.toThrow("permission denied for table audit_events");
  },
);
