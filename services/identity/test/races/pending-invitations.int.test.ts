import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { newId, type UserId } from "@cloud/access/values";
import { sql } from "@cloud/postgres";
import { CreateInvitationRequestSchema } from "@cloud/proto/identity/v1/invitation_service_pb";
import { countRows } from "@cloud/service/testing";
import { interleaveBefore } from "@cloud/service/testing/races";
import { raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Context } from "../../src/context.ts";
import { createInvitation } from "../../src/invitations/create-invitation.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { openRaceContexts, type RaceContexts } from "./race-contexts.ts";

const RACERS = 16;
let fixture: Fixture;
let races: RaceContexts;
let organization: string;

beforeAll(async () => {
  fixture = await startFixture();
  races = openRaceContexts(fixture);
});
afterAll(async () => {
  await races.close();
  await fixture.stop();
});

const limited = (context: Context, maxPendingInvitations: number) => ({ ...context, maxPendingInvitations });
const withoutLock = () =>
  races.contextWith((text) => (text.includes("from organizations") ? text.replace(" for no key update", "") : text));

describe("16 concurrent invitations where three may be pending", () => {
  const inviteOne = (context: Context) => {
    const email = newId<UserId>() + "@example.test";
    const request = { organizationId: organization, email, roleNames: ["User"] };
    return refusal(createInvitation(context, systemCaller(), create(CreateInvitationRequestSchema, request)));
  };
  const pending = () =>
    countRows(fixture.db, sql`invitations where organization_id = $1 and status = 'pending'`, [organization]);

  test("three are pending", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 20, long: 200 }); round++) {
      organization = await fixture.createOrganization();
      await Promise.all(Array.from({ length: RACERS }, () => inviteOne(limited(races.contextWith(), 3))));
      expect(await pending()).toBe(3);
    }
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
    expect(await inviteTwo(limited(withoutLock(), 1))).toBe(2);
  });
});
