import { createRandom, isLongRun, runSeed, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { createPlayer } from "../cases/runner/index.ts";
import type { Protection } from "./controls.ts";
import { expectWholePools } from "./sql-faults/expect-whole-pools.ts";
import { planCases, planEachOnce, playUnderFaults } from "./sql-faults/play-under-faults.ts";
import { createFaultSwitch } from "./sql-faults/switch-faults.ts";
import { expectSound } from "./system/expect-sound.ts";
import { startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

describe("16: while 5 % of all SQL statements fail, every response is correct or a 503", () => {
  test("the whole case suite: each case by REST or by RPC; in the long form by both", async () => {
    const seed = runSeed();
    const plan = isLongRun() ? [...planCases("rest"), ...planCases("rpc")] : planEachOnce(createRandom(seed));
    await using resources = new AsyncDisposableStack();
    const { system, faults, player } = await open(resources, seed);
    const databases = resources.adopt(openDatabases(system), (opened) => opened.close());

    const verdicts = await playUnderFaults(player, plan, async (calls) => {
      await faults.on(system, 5);
      await calls();
      await faults.off(system);
    });

    const { wrong, leaks, ...counts } = verdicts;
    writeReport({
      what: "sql-faults",
      promise: 16,
      ...counts,
      wrong: wrong.length,
      leaks: leaks.length,
      faults: faults.counts(),
    });
    expect(leaks).toEqual([]);
    expect(wrong).toEqual([]);
    const unwritten = system.programs.flatMap((program) => program.log()).filter(({ msg }) => msg === NOT_WRITTEN);
    expect(counts.unwritten).toBeLessThanOrEqual(unwritten.length);
    await expectWholePools(system, databases);
    await expectSound(system, databases);
  }, 900_000);

  test("control: if a failed COMMIT counts as confirmed, replies describe changes that do not exist", async () => {
    const seed = runSeed();
    await using resources = new AsyncDisposableStack();
    const { system, faults, player } = await open(resources, seed, ["confirmedCommit"]);
    const changes = planCases("rest").filter(({ played: { expect, events = [] } }) => {
      return expect.error === undefined && events.length > 0;
    });
    const some = changes.slice(0, 8);

    const { wrong } = await playUnderFaults(player, some, async (calls) => {
      await faults.on(system, 100, "^commit$");
      await calls();
      await faults.off(system);
    });

    writeReport({ what: "sql-faults-control", promise: 16, wrong: wrong.length, of: some.length });
    expect(wrong).not.toEqual([]);
  }, 90_000);
});

/** Logged by the workspace service when it refuses a request and cannot write that to the workspace's log. */
const NOT_WRITTEN = "error event not written";

async function open(resources: AsyncDisposableStack, seed: number, remove: readonly Protection[] = []) {
  const faults = createFaultSwitch(seed);
  // A claim whose result is lost costs an event its lease of 10 s, possibly several times: late is not lost. Searches
  // of one organization wait for each other, on a slow machine longer than a user would.
  const env = { ...faults.options.env, RECONCILER_GRACE_MS: "60000", HEAVY_READ_WAIT_MS: "20000" };
  const system = await startSystem({ ...faults.options, env, remove });
  resources.defer(() => system.stop());
  const { demo } = system;
  const player = await createPlayer({ demo, ...demo });
  return { system, faults, player };
}
