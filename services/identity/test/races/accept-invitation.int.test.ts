import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import type { OrganizationId } from "@cloud/access/values";
import { type SqlText, sql, statement } from "@cloud/postgres";
import { RevokeInvitationRequestSchema } from "@cloud/proto/identity/v1/invitation_service_pb";
import { countRows } from "@cloud/service/testing";
import { waitFor } from "@cloud/testkit";
import { countEach, RACE_DEADLINE_MS, raceSize, raceUntil } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Context } from "../../src/context.ts";
import { revokeInvitation } from "../../src/invitations/revoke-invitation.ts";
import { deleteMemberships } from "../../src/memberships/sql.ts";
import { softDeleteOrganization } from "../../src/organizations/sql.ts";
import { type Fixture, type Person, startFixture } from "../fixture.ts";
import { acceptAs } from "./accept-as.ts";
import { openRaceContexts, type RaceContexts } from "./race-contexts.ts";

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
const withoutLock = () =>
  races.contextWith((text) => (text.includes("from organizations") ? text.replace(" for no key update", "") : text));
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
    return countEach(await Promise.all(Array.from({ length: 16 }, () => refusal(acceptAs(context, person.id, id)))));
  };

  test("one succeeds, and the user is a member once", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 20, long: 200 }); round++) {
      expect(await race(races.contextWith())).toEqual({ [done]: 1, [isNow("accepted")]: 15 });
      expect(await count(sql`memberships where organization_id = $1`)).toBe(2);
    }
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

  test(
    "exactly one wins, and the memberships say which",
    async () => {
      for (let round = 0; round < raceSize({ gate: 20, chaos: 200, long: 2000 }); round++) {
        expect([accepted, revoked]).toContainEqual(await race(races.contextWith()));
      }
    },
    RACE_DEADLINE_MS,
  );
  test("control: without the predicate both win", async () => {
    const bothWin = ({ outcomes }: { outcomes: string[] }) => outcomes.every((outcome) => outcome === done);
    const { outcomes } = await raceUntil(bothWin, () => race(withoutPredicate()));
    expect(outcomes).toEqual([done, done]);
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
