import { waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { restClients } from "../e2e/rest.ts";
import type { Protection } from "./controls.ts";
import { seedLinkedRecords } from "./linked-records/linked-records.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const EVENTS = 2;
/** Redelivers an unacknowledged message after 1 s instead of 10 s: a run of minutes takes seconds. */
const IMPATIENT: Protection = "ackWait";
const DEADLINE = { deadlineMs: 30_000 };

interface Locked {
  readonly kills: number;
  readonly parked: number;
  readonly links: number;
}

/**
 * Kills the consumer `kills` times, each time while an attempt waits for a lock; fewer times once a message is parked.
 */
async function killWhileLocked(system: System, databases: SystemDatabases, kills: number): Promise<Locked> {
  const [workspace] = system.services.workspace;
  const { environments } = await seedLinkedRecords(system, databases, { environments: EVENTS, teams: 0 });
  const count = async (from: string) => (await databases.query<{ count: number }>(from))[0]?.count ?? 0;
  const parked = () => count("select count(*)::integer as count from workspace.parked_messages");
  const lock = await lockLinks(system);
  try {
    for (const id of environments) {
      expect((await restClients(system.demo).orgAdmin.delete("/environments/" + id)).status).toBe(204);
    }
    let killed = 0;
    while (killed < kills && (await parked()) === 0) {
      const isWaiting = async () => (await count(WAITING)) > 0;
      await waitFor(async () => (await isWaiting()) || (await parked()) > 0 || undefined, DEADLINE);
      await workspace.kill();
      // The server itself would detect the loss of their client only when their statements end.
      await databases.query(END_LEFTOVERS);
      await workspace.start();
      killed++;
    }
    await lock.release();
    const links = () => count("select count(*)::integer as count from workspace.assignments");
    await databases.drained(30_000);
    return { kills: killed, parked: await parked(), links: await links() };
  } finally {
    await lock.release();
  }
}

const WAITING = `
  select count(*)::integer as count
  from pg_stat_activity
  where application_name = 'workspace' and wait_event_type = 'Lock'`;

const END_LEFTOVERS = `
  select pg_terminate_backend(pid)
  from pg_stat_activity
  where application_name = 'workspace'`;

/** Locks like a careless migration: every statement on links waits until the lock is released. */
async function lockLinks({ databaseUrl }: System): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "lock-links" });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await client.query("lock table workspace.assignments in access exclusive mode");
  let released: Promise<void> | undefined;
  return {
    release: () => {
      released ??= client.end();
      return released;
    },
  };
}

async function play(remove: readonly Protection[], kills: number, sound: boolean): Promise<Locked> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ remove: [IMPATIENT, ...remove], env: { RECONCILER_GRACE_MS: "600000" } });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  const seen = await killWhileLocked(system, databases, kills);
  if (sound) await expectSound(system, databases);
  return seen;
}

/** Each kill is a delivery, and at the tenth a message is parked. */
const KILLS = 6;

describe("25: a message is parked at its tenth delivery, so few kills while it waits for the database park nothing", () => {
  test("a lock on the links, the consumer killed repeatedly: each event is applied when the lock is released", async () => {
    const seen = await play([], KILLS, true);
    writeReport({ what: "locked-database", promise: 25, events: EVENTS, ...seen });
    expect(seen).toEqual({ kills: KILLS, parked: 0, links: 0 });
  }, 120_000);

  test("control: if it is parked at its third, a good event is", async () => {
    const seen = await play(["deliveries"], 20, false);
    writeReport({ what: "locked-database-control", promise: 25, events: EVENTS, ...seen });
    expect(seen.parked).toBeGreaterThan(0);
  }, 120_000);
});
