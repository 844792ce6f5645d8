import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { sql, statement } from "@cloud/postgres";
import { RemoveMemberRequestSchema } from "@cloud/proto/identity/v1/organization_service_pb";
import { countRows } from "@cloud/service/testing";
import { interleaveBefore } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import { RACE_DEADLINE_MS, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Context } from "../../src/context.ts";
import { removeMember } from "../../src/members/remove-member.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { openRaceContexts, type RaceContexts } from "./race-contexts.ts";

const LAST_ORG_ADMIN = "409 LAST_ORG_ADMIN: an organization needs an Org Admin";
const LAST_PROVIDER_ADMIN = "409 LAST_PROVIDER_ADMIN: the system needs a Provider Admin";

let fixture: Fixture;
let races: RaceContexts;
beforeAll(async () => {
  fixture = await startFixture();
  races = openRaceContexts(fixture);
});
afterAll(async () => {
  await races.close();
  await fixture.stop();
});

type Members = readonly (readonly [organization: string, user: string])[];

/** Removes the users from their organizations, all at once. */
async function removeAll(context: Context, members: Members): Promise<string[]> {
  const calls = members.map(([id, userId]) =>
    refusal(removeMember(context, systemCaller(), create(RemoveMemberRequestSchema, { id, userId }))),
  );
  return await Promise.all(calls);
}

/** Removes two users, the second before the COMMIT of the first one's removal. */
async function removeTwo(context: Context, members: Members): Promise<string[]> {
  const remove = (db: Context["db"], index: number) => removeAll({ ...context, db }, members.slice(index, index + 1));
  const first = (db: Context["db"]) => remove(db, 0);
  return (await interleaveBefore(context.db, undefined, first, () => remove(context.db, 1))).flat();
}

const RACES = [
  ["16", 16, removeAll],
  ["two, one of them uncommitted", 2, removeTwo],
] as const;
const inParallel = <T>(width: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: width }, (_, index) => work(index)));

type Leave = (context: Context, width: number, remove: typeof removeAll) => Promise<{ left: number; refused: number }>;

function testOneRemains(leave: Leave): void {
  test.each(RACES)(
    "of %s, one remains",
    async (_which, width, remove) => {
      for (let round = 0; round < raceSize({ gate: 1, chaos: 50, long: 500 }); round++) {
        expect(await leave(races.contextWith(), width, remove)).toEqual({ left: 1, refused: 1 });
      }
    },
    RACE_DEADLINE_MS,
  );
}

describe("Org Admins of one organization leave at once", () => {
  const leave: Leave = async (context, width, remove) => {
    const organization = await fixture.createOrganization();
    const admins = await inParallel(width, () => fixture.createMember(organization, "Org Admin"));
    const outcomes = await remove(
      context,
      admins.map(({ id }) => [organization, id] as const),
    );
    const left = await countRows(fixture.db, sql`memberships where organization_id = $1 and role_name = 'Org Admin'`, [
      organization,
    ]);
    return { left, refused: outcomes.filter((outcome) => outcome === LAST_ORG_ADMIN).length };
  };

  testOneRemains(leave);
  test("control: without the lock on the organization none remains", async () => {
    const unlocked = races.contextWith((text) =>
      text.includes("from organizations") ? text.replace(" for no key update", "") : text,
    );
    expect(await leave(unlocked, 2, removeTwo)).toEqual({ left: 0, refused: 0 });
  });
});

describe("Provider Admins of an organization each leave at once", () => {
  const leave: Leave = async (context, width, remove) => {
    await execute(fixture.db, statement`delete from memberships`);
    const members = await inParallel(width, async () => {
      const id = await fixture.createOrganization();
      return [id, (await fixture.createMember(id, "Provider Admin")).id] as const;
    });
    const outcomes = await remove(context, members);
    const refused = outcomes.filter((outcome) => outcome === LAST_PROVIDER_ADMIN).length;
    return { left: await countRows(fixture.db, sql`memberships where role_name = 'Provider Admin'`), refused };
  };

  testOneRemains(leave);
  test("control: without the lock on Provider Admins none remains", async () => {
    const unlocked = races.contextWith((text) => (text.includes("pg_advisory_xact_lock") ? "select 1" : text));
    expect(await leave(unlocked, 2, removeTwo)).toEqual({ left: 0, refused: 0 });
  });
});
