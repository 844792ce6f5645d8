import {
  calibrated,
  createRandom,
  judgeTime,
  latenciesOf,
  runFigures,
  runSeed,
  writeReport,
} from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import type { Protection } from "./controls.ts";
import { type Group, rollReplicas } from "./replicas/roll-replicas.ts";
import { type RollingLoad, startRollingLoad } from "./replicas/rolling-load.ts";
import { expectSound } from "./system/expect-sound.ts";
import { SERVICES, type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";
import { warningsOf } from "./system/warnings-of.ts";

const PER_SECOND = 60;
/** The delay after which load balancers notice; programs keep serving for longer, even on a busy machine. */
const LAG_MS = 200;
const LAME_DUCK_MS = 2_000;

interface Stage {
  readonly groups: readonly Group[];
  /** Starts the requests, which stop with the stage. */
  readonly begin: () => RollingLoad;
  readonly system: System;
  readonly databases: SystemDatabases;
}

async function withStage(remove: readonly Protection[], run: (stage: Stage) => Promise<void>): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const env = { LAME_DUCK_MS: String(LAME_DUCK_MS) };
  const system = await startSystem({ replicas: 2, gateways: 2, remove, env });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const groups = [
    ...SERVICES.map((name) => ({ name, balancer: system.proxies.peers[name], programs: system.services[name] })),
    { name: "gateway", balancer: system.proxies.gateway, programs: system.gateways },
  ];
  const begin = () => {
    const rolling = startRollingLoad(system, PER_SECOND);
    resources.defer(async () => void (await rolling.load.stop()));
    return rolling;
  };
  await run({ groups, begin, system, databases });
}

describe("SIGTERM under load, two replicas behind two gateways: no request fails", () => {
  test("each exits with 0, its requests are answered, and none is processed twice", async () => {
    const figures = runFigures({ ci: [14, 14, 14, 8], long: [70, 70, 70, 40] });
    const random = createRandom(runSeed());
    await withStage([], async ({ groups, begin, system, databases }) => {
      const { rolling, rolled, samples, factor } = await calibrated(async () => {
        const rolling = begin();
        const rolled = await Promise.all(
          groups.map((group, at) => rollReplicas(group, { times: figures[at] ?? 0, lagMs: LAG_MS, random })),
        );
        return { rolling, rolled, samples: await rolling.load.stop() };
      });
      const failures = rolling.failures();
      const created = await rolling.created(databases);
      const codes = rolled.flatMap((group) => group.codes);
      const left = latenciesOf(rolled.flatMap((group) => group.leftMs));
      writeReport({
        what: "drain",
        promise: 14,
        terminated: Object.fromEntries(groups.map(({ name }, at) => [name, rolled[at]?.codes.length])),
        requests: samples.length,
        failed: failures.length,
        failures: failures.slice(0, 20),
        created,
        latency: latenciesOf(samples.map(({ ms }) => ms)),
        left,
        ended: latenciesOf(rolled.flatMap((group) => group.endedMs)),
        factor,
        logged: warningsOf(system.programs),
      });
      // A program cannot compensate for a load balancer that notices later.
      judgeTime({ what: "drain: the balancer notices", measuredMs: left.max, limitMs: LAME_DUCK_MS, factor });
      expect(failures).toEqual([]);
      expect(codes).toHaveLength(figures.reduce((sum, count) => sum + count));
      expect(codes.filter((code) => code !== 0)).toEqual([]);
      expect(created).toEqual({ confirmed: created.confirmed, stored: created.confirmed, twice: 0 });
      expect(created.confirmed).toBeGreaterThan(samples.length / 4);
      await expectSound(system, databases);
    });
  }, 240_000);

  test("control: without a drain requests fail", async () => {
    const random = createRandom(runSeed());
    await withStage(["drain"], async ({ groups, begin }) => {
      const rolling = begin();
      const seen = () => rolling.failures().length >= 5;
      const rolled = await Promise.all(
        groups.map((group) => rollReplicas(group, { times: 5, lagMs: LAG_MS, random, until: seen })),
      );
      const samples = await rolling.load.stop();
      const failures = rolling.failures();
      writeReport({
        what: "drain-control",
        promise: 14,
        terminated: rolled.flatMap((group) => group.codes).length,
        requests: samples.length,
        failed: failures.length,
        failures: failures.slice(0, 5),
      });
      expect(failures.length).toBeGreaterThan(0);
    });
  }, 120_000);
});
