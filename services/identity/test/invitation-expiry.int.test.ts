import { newId, type OrganizationId } from "@cloud/access/values";
import { type Database, statement } from "@cloud/postgres";
import { startTestService, type TestService } from "@cloud/service/testing";
import { interleaveBefore, openRaceDatabase, rewritingTransactions } from "@cloud/service/testing/races";
import { execute, testTelemetry, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { expireInvitations } from "../src/invitations/end-invitation.ts";
import { type IdentityServiceConfig, startIdentityService } from "../src/service.ts";

const EXPIRED = 150; // more than one transaction takes

/** Starts replicas of the service on one database, whose passes follow each other at these intervals. */
function startReplicas(count: number, everyMs: number): Promise<TestService<object>> {
  const own: Pick<IdentityServiceConfig, "workspaceUrl" | "reconciler"> = {
    workspaceUrl: "http://127.0.0.1:1", // none listens there; invitations need no workspace
    reconciler: { everyMs },
  };
  return startTestService({
    name: "identity",
    services: {},
    start: async (config) => {
      const start = () => startIdentityService({ ...config, ...own, telemetry: testTelemetry() });
      const replicas = [await start()];
      while (replicas.length < count) replicas.push(await start());
      const [first] = replicas as [(typeof replicas)[number]];
      return { ...first, stop: async () => void (await Promise.all(replicas.map((replica) => replica.stop()))) };
    },
  });
}

/** Inserts an organization with pending invitations that expired in this order. */
async function insertExpired(db: Database, count: number): Promise<OrganizationId> {
  const organization = newId<OrganizationId>();
  await execute(db, statement`insert into organizations (id, name) values ($1, 'o')`, [organization]);
  await execute(
    db,
    statement`
      insert into invitations (id, organization_id, email, role_names, expires_at, updated_at)
      select gen_random_uuid(), $1, n || '@expired.test', '{User}', now() - n * interval '1 second', now() - interval '14 days'
      from generate_series(1, $2::integer) as n`,
    [organization, count],
  );
  return organization;
}

/** Returns how many entries the organization's first expiries have, and to how many invitations they belong. */
async function entriesOf(db: Database, organization: OrganizationId, first = EXPIRED) {
  const text = statement<{ entries: number; invitations: number }>`
    select count(*)::integer as entries, count(distinct e.target)::integer as invitations
    from audit_events e
    join (
      select *
      from invitations
      where organization_id = $1
      order by expires_at
      limit $2
    ) i on i.id::text = e.target and i.status = 'expired' and i.updated_at = i.expires_at
    where e.organization_id = $1 and e.action = 'invitation.expired' and e.actor = 'service:identity'`;
  const { rows } = await db.read(text, [organization, first]);
  return rows[0];
}

const each = (count: number) => ({ entries: count, invitations: count });

test("two replicas expire each invitation once, with an entry in the audit log", async () => {
  const { db, stop } = await startReplicas(2, 5);
  try {
    const organization = await insertExpired(db, EXPIRED);
    const found = async () => ((await entriesOf(db, organization))?.invitations === EXPIRED ? true : undefined);
    expect(await waitFor(found, { deadlineMs: 30_000 })).toBe(true);
    // A later pass has run when the next one has its entry.
    const next = await insertExpired(db, 1);
    await waitFor(async () => (await entriesOf(db, next))?.entries || undefined, { deadlineMs: 30_000 });
    expect([await entriesOf(db, organization), await entriesOf(db, next)]).toEqual([each(EXPIRED), each(1)]);
    const [entry] = (
      await db.read(
        statement<{ metadata: object; request_id: string }>`
          select metadata, request_id
          from audit_events
          where organization_id = $1`,
        [next],
      )
    ).rows;
    expect(entry).toEqual({ metadata: { email: "1@expired.test", roleNames: ["User"] }, request_id: "" });
  } finally {
    await stop();
  }
});

describe("eight passes at once", () => {
  let service: TestService<object>;
  let races: Database;
  let organization: OrganizationId;
  beforeAll(async () => {
    service = await startReplicas(1, 3_600_000);
    races = openRaceDatabase(service.db);
  });
  beforeEach(async () => {
    organization = await insertExpired(service.db, EXPIRED);
  });
  afterAll(async () => {
    await races.close();
    await service.stop();
  });
  const run = (db: Pick<Database, "transaction">) =>
    Promise.all(Array.from({ length: 8 }, () => expireInvitations(db)));
  const withoutLock = () => rewritingTransactions(races, (text) => text.replace("for update skip locked", ""));

  test("expire each invitation once", async () => {
    const counts = await run(races);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(EXPIRED);
    expect(await entriesOf(service.db, organization)).toEqual(each(EXPIRED));
  });

  /** A pass begins before the first COMMIT of another. */
  const runTwo = (db: Pick<Database, "transaction">) =>
    interleaveBefore(db, undefined, expireInvitations, () => expireInvitations(db));

  test("so do two, one of them uncommitted", async () => {
    expect(await runTwo(races)).toEqual([100, 50]);
    expect(await entriesOf(service.db, organization)).toEqual(each(EXPIRED));
  });
  test("control: without the lock, the first 100 have two entries", async () => {
    await runTwo(withoutLock());
    // The others may have two as well: the passes go on at the same time.
    expect(await entriesOf(service.db, organization, 100)).toEqual({ entries: 200, invitations: 100 });
  });
});
