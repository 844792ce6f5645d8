import { createRandom, isLongRun, runSeed, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { createPlayer } from "../case-runner/index.ts";
import type { Protection } from "./controls.ts";
import { expectWholePools } from "./sql-faults/expect-whole-pools.ts";
import { planCases, planEachOnce, playUnderFaults } from "./sql-faults/play-under-faults.ts";
import { createFaultSwitch } from "./sql-faults/switch-faults.ts";
import { expectSound } from "./system/expect-sound.ts";
import { lookBehind } from "./system/look-behind.ts";
import { startSystem } from "./system/start-system.ts";

describe("16: while 5 % of all SQL statements fail, every answer is the right one or a 503", () => {
  test("the whole case suite: each case by REST or by RPC; in the long form by both", async () => {
    const seed = runSeed();
    const plan = isLongRun() ? [...planCases("rest"), ...planCases("rpc")] : planEachOnce(createRandom(seed));
    await using resources = new AsyncDisposableStack();
    const { system, faults, player } = await open(resources, seed);
    const behind = resources.adopt(lookBehind(system), (opened) => opened.close());

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
    await expectWholePools(system, behind);
    await expectSound(system, behind);
  }, 300_000);

  test("control: when a COMMIT that failed counts as one, answers tell of what is not there", async () => {
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

/** What the workspace service logs when it refuses and cannot write that into the workspace's log. */
const NOT_WRITTEN = "error event not written";

async function open(resources: AsyncDisposableStack, seed: number, remove: readonly Protection[] = []) {
  const faults = createFaultSwitch(seed);
  const system = await startSystem({ ...faults.options, remove });
  resources.defer(() => system.stop());
  const { demo } = system;
  const player = await createPlayer({ demo, ...demo });
  return { system, faults, player };
}
