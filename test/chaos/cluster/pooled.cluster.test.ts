import { startPgbouncer } from "@cloud/testkit/faults";
import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { createPlayer } from "../../cases/runner/index.ts";
import { planEachOnce, playUnderFaults, type Verdicts } from "../sql-faults/play-under-faults.ts";
import { expectSound } from "../system/expect-sound.ts";
import { type System, startSystem } from "../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../system/system-databases.ts";

/** Connections to Postgres for each role; there are more clients than that. */
const POOL_SIZE = 6;

const SETTINGS = {
  pool_mode: "transaction",
  default_pool_size: String(POOL_SIZE),
  max_client_conn: "500",
  server_login_retry: "1",
};

/** Plays so many of the cases, each once, by REST or by RPC, while every service reaches Postgres through PgBouncer. */
async function playCases(
  cases: number,
  env: Readonly<Record<string, string>>,
  check: (verdicts: Verdicts, system: System, databases: SystemDatabases) => Promise<void>,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ pooler: (urls) => startPgbouncer(urls, SETTINGS), env });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const player = await createPlayer({ demo: system.demo, ...system.demo });
  const plan = planEachOnce(createRandom(runSeed())).filter((_, index) => index % Math.ceil(1500 / cases) === 0);
  await check(await playUnderFaults(player, plan, (calls) => calls()), system, databases);
}

/** Returns how many connections of programs Postgres has. */
async function countConnections({ query }: SystemDatabases): Promise<number> {
  const rows = await query(selectConnections);
  return rows.length;
}

const selectConnections = `
  select
  from pg_stat_activity
  where datname = current_database() and application_name in ('identity', 'environment', 'workspace')`;

describe("every service behind PgBouncer in transaction mode", () => {
  test("cases have the replies that they have without", async () => {
    await playCases(runFigures({ ci: 750, long: 1500 }), {}, async (verdicts, system, databases) => {
      const { wrong, leaks, ...counts } = verdicts;
      const pooled = await countConnections(databases);
      writeReport({ what: "cluster-pooled", promise: 34, ...counts, wrong: wrong.length, pooled });
      expect(wrong).toEqual([]);
      expect({ ...counts, leaks }).toEqual({ correct: expect.any(Number), unavailable: 0, unwritten: 0, leaks: [] });
      expect(counts.correct).toBeGreaterThan(600);
      expect(pooled).toBeLessThanOrEqual(3 * POOL_SIZE);
      await expectSound(system, databases);
    });
  }, 240_000);

  test("control: with named statements, which this PgBouncer does not keep, requests fail", async () => {
    const played = playCases(100, { DATABASE_PREPARED_STATEMENTS: "on" }, async ({ wrong }) => {
      expect(wrong).toEqual([]);
    });
    const failure = await played.then(() => undefined, String);
    writeReport({ what: "cluster-pooled-control", promise: 34, failure: failure?.slice(0, 200) });
    expect(failure).toMatch(/internal error/);
  }, 120_000);
});
