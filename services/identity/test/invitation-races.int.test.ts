import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import { type SqlText, sql, statement } from "@cloud/postgres";
import {
  CreateInvitationRequestSchema,
  RevokeInvitationRequestSchema,
} from "@cloud/proto/identity/v1/invitation_service_pb";
import { countRows } from "@cloud/service/testing";
import { interleaveBefore } from "@cloud/service/testing/races";
import { waitFor } from "@cloud/testkit";
import { countEach } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Context } from "../src/context.ts";
import { createInvitation } from "../src/invitations/create-invitation.ts";
import { revokeInvitation } from "../src/invitations/revoke-invitation.ts";
import { deleteMemberships } from "../src/memberships/sql.ts";
import { softDeleteOrganization } from "../src/organizations/sql.ts";
import { type Fixture, type Person, startFixture } from "./fixture.ts";
import { acceptAs } from "./races/accept-as.ts";
import { openRaceContexts, type RaceContexts } from "./races/race-contexts.ts";

const done = "not refused";
const isNow = (status: string) => "409 INVITATION_NOT_PENDING: the invitation is " + status;

let fixture: Fixture;
let races: RaceContexts;
let organization: string;
let person: Person;

beforeAll(async () => {
  fixture = await startFixture();
  races = openRaceContexts(fixture);
});
afterAll(async () => {
  await races.close();
  await fixture.stop();
});

const withoutPredicate = () =>
  races.contextWith((text) => text.replace(" and status = 'pending' and expires_at > now()", ""));
const withoutLock = (limit?: number) =>
  limited(
    races.contextWith((text) => (text.includes("from organizations") ? text.replace(" for no key update", "") : text)),
    limit,
  );
const limited = (context: Context, maxPendingInvitations = 1_000) => ({ ...context, maxPendingInvitations });

const inParallel = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const count = (from: SqlText) => countRows(fixture.db, from, [organization]);

/** Invites a new user to a new organization; returns the invitation's id. */
async function invite(): Promise<string> {
  organization = await fixture.createOrganization();
  person = await fixture.createPerson();
  const request = { organizationId: organization, userId: person.id, roleNames: ["User", "Team Admin"] };
  return (await fixture.service.invitations.createInvitation(request)).invitation?.id ?? "";
}

describe("16 concurrent acceptances of one invitation", () => {
  const race = async (context: Context) => {
    const id = await invite();
    return countEach(await inParallel(16, () => refusal(acceptAs(context, person.id, id))));
  };

  test("one succeeds, and the user is a member once", async () => {
    expect(await race(races.contextWith())).toEqual({ [done]: 1, [isNow("accepted")]: 15 });
    expect(await count(sql`memberships where organization_id = $1`)).toBe(2);
  });
  test("control: without the predicate all succeed", async () => {
    expect(await race(withoutPredicate())).toEqual({ [done]: 16 });
  });
});

describe("an acceptance against a revocation", () => {
  const race = async (context: Context) => {
    const id = await invite();
    const revoking = refusal(revokeInvitation(context, systemCaller(), create(RevokeInvitationRequestSchema, { id })));
    const outcomes = await Promise.all([refusal(acceptAs(context, person.id, id)), revoking]);
    return { outcomes, members: await count(sql`memberships where organization_id = $1`) };
  };
  const accepted = { outcomes: [done, isNow("accepted")], members: 2 };
  const revoked = { outcomes: [isNow("revoked"), done], members: 0 };

  test("exactly one wins, and the memberships say which", async () => {
    for (let round = 0; round < 20; round++)
      expect([accepted, revoked]).toContainEqual(await race(races.contextWith()));
  });
  test("control: without the predicate both win", async () => {
    expect((await race(withoutPredicate())).outcomes).toEqual([done, done]);
  });
});

describe("16 concurrent invitations where three may be pending", () => {
  const inviteOne = (context: Context) => {
    const email = newId<UserId>() + "@example.test";
    const request = { organizationId: organization, email, roleNames: ["User"] };
    return refusal(createInvitation(context, systemCaller(), create(CreateInvitationRequestSchema, request)));
  };
  const pending = () => count(sql`invitations where organization_id = $1 and status = 'pending'`);

  test("three are pending", async () => {
    organization = await fixture.createOrganization();
    await inParallel(16, () => inviteOne(limited(races.contextWith(), 3)));
    expect(await pending()).toBe(3);
  });

  /** Two where one may be pending: the second one before the first one's COMMIT. */
  const inviteTwo = async (context: Context) => {
    organization = await fixture.createOrganization();
    const first = (db: Context["db"]) => inviteOne({ ...context, db });
    await interleaveBefore(context.db, undefined, first, () => inviteOne(context));
    return await pending();
  };

  test("of two where one may be pending, one is", async () => {
    expect(await inviteTwo(limited(races.contextWith(), 1))).toBe(1);
  });
  test("control: without the lock on the organization, both are", async () => {
    expect(await inviteTwo(withoutLock(1))).toBe(2);
  });
});

describe("an acceptance while the organization is deleted", () => {
  const acceptDuring = async (context: Context, locked: boolean) => {
    const id = await invite();
    const { outcome } = await fixture.db.transaction(async (tx) => {
      await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
      await softDeleteOrganization(tx, organization as OrganizationId);
      await deleteMemberships(tx, organization as OrganizationId);
      const outcome = refusal(acceptAs(context, person.id, id));
      await (locked ? waitForLock() : outcome);
      return { outcome };
    });
    return await outcome;
  };
  const waitForLock = () =>
    waitFor(async () => ((await countRows(fixture.db, waiting)) > 0 ? true : undefined), { deadlineMs: 30_000 });
  const waiting = sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

  test("is refused", async () => {
    expect(await acceptDuring(races.contextWith(), true)).toBe("404 INVITATION_NOT_FOUND: invitation not found");
    expect(await count(sql`memberships where organization_id = $1`)).toBe(0);
  });
  test("control: without the lock the membership outlives the organization", async () => {
    expect(await acceptDuring(withoutLock(), false)).toBe(done);
    expect(await count(sql`memberships where organization_id = $1`)).toBe(2);
  });
});
