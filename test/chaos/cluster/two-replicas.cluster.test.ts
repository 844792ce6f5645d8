import { type Program, waitFor } from "@cloud/testkit";
import { calibrated, judgeTime, latenciesOf, runFigures, type Sample, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { type Outcome, type RollingLoad, startRollingLoad } from "../replicas/rolling-load.ts";
import { expectSound } from "../system/expect-sound.ts";
import { type System, startSystem } from "../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../system/system-databases.ts";
import { type Haproxy, startHaproxy } from "./servers/start-haproxy.ts";

const PER_SECOND = 40;
/** The balancer finds a silent replica within 5 s and closes its connections; a caller gives up on it after 4 s. */
const NOTICED_MS = 6_000;
/** The time for which a replica is silent: longer than `NOTICED_MS`, so that requests are seen to succeed meanwhile. */
const SILENT_MS = 9_000;
/** The time after which a caller gives up on a silent peer. */
const LONG_MS = 4_000;
/** The time until the balancer has noticed that a program stops, also on a busy machine. */
const LAME_DUCK_MS = "3000";

/** A replica that was broken, and when, in milliseconds on the clock of the load. */
interface Fault {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly rolling: RollingLoad;
  readonly balancer: Haproxy;
}

async function withStage(checks: boolean, run: (stage: Stage) => Promise<void>): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const started = Promise.withResolvers<Haproxy>();
  const system = await startSystem({
    replicas: 2,
    gateways: 2,
    env: { LAME_DUCK_MS },
    balancer: async (groups) => {
      const balancer = await startHaproxy(
        groups.map((one) => ({ ...one, checkPath: "/readyz", drains: true, checks })),
      );
      started.resolve(balancer);
      return balancer;
    },
  });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const balancer = await started.promise;
  await waitFor(() => balancer.usesAll() || undefined, { deadlineMs: 30_000 });
  const rolling = startRollingLoad(system, PER_SECOND);
  resources.defer(async () => void (await rolling.load.stop()));
  await run({ system, databases, rolling, balancer });
}

/** Breaks one replica after the other, those at the same place of all programs together, and repairs them. */
async function breakEach(
  { system, rolling: { load } }: Stage,
  fault: (program: Program) => Promise<void>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const groups = [...Object.values(system.services), system.gateways];
  for (const at of [0, 1]) {
    const broken = groups.flatMap((programs) => programs[at] ?? []);
    const from = load.now();
    await Promise.all(broken.map(fault));
    await Promise.all(broken.map(isReady));
    await answered(load, 2 * PER_SECOND); // the balancer has noticed
    faults.push({ name: `all at ${at}`, from, to: load.now() });
    // A request that the next fault hits must not count as one of this fault.
    await waitFor(() => load.running() === 0 || undefined, { deadlineMs: 60_000 });
  }
  return faults;
}

const isReady = ({ operatorUrl }: Program) =>
  waitFor(async () => (await fetch(operatorUrl + "/readyz")).ok || undefined, { deadlineMs: 30_000 });

/** Waits until so many more requests have had a reply. */
async function answered(load: RollingLoad["load"], count: number): Promise<void> {
  const before = load.samples().length;
  await waitFor(() => load.samples().length >= before + count || undefined, { deadlineMs: 60_000 });
}

const roll = async (program: Program) => {
  await program.stop();
  await program.start();
};

const kill = async (program: Program) => {
  await program.kill();
  await program.start();
};

/** Black-holes a program for `forMs`: its connections stay open, and it does not reply. */
const blackHole =
  ({ now }: RollingLoad["load"], forMs = SILENT_MS) =>
  async (program: Program) => {
    const from = now();
    program.pause();
    await waitFor(() => now() > from + forMs || undefined, { deadlineMs: 2 * forMs });
    program.resume();
  };

const failed = (samples: readonly Sample<Outcome>[]) => samples.filter(({ result }) => result?.correct !== true);

/** Returns the requests that began between `fromMs` after a fault and its end, and failed or took long. */
function badSince(samples: readonly Sample<Outcome>[], { from, to }: Fault, fromMs: number, longMs = LONG_MS) {
  const isBad = ({ ms, result }: Sample<Outcome>) => result?.correct !== true || ms > longMs;
  return samples.filter((sample) => sample.at >= from + fromMs && sample.at <= to && isBad(sample));
}

/** Returns when after a fault the last request began that failed or took long, in milliseconds. */
const lastBad = (samples: readonly Sample<Outcome>[], fault: Fault, factor: number) =>
  Math.max(0, ...badSince(samples, fault, 0, LONG_MS * factor).map(({ at }) => at - fault.from));

/** Returns the requests that began while no replica was broken, or about to be. */
const besides = (samples: readonly Sample<Outcome>[], faults: readonly Fault[]) =>
  samples.filter(({ at }) => !faults.some(({ from, to }) => at >= from - 1000 && at <= to));

describe("two replicas of every program behind HAProxy, which asks each whether it is ready", () => {
  test("rolled: no request fails; killed and black-holed: only requests in flight and of the next seconds fail", async () => {
    await withStage(true, async (stage) => {
      const { system, databases, rolling, balancer } = stage;
      const { load } = rolling;
      const rounds = runFigures({ ci: 1, long: 5 });
      for (let round = 0; round < rounds; round++) await breakEach(stage, roll);
      const rolledFailures = rolling.failures();
      const changes = balancer.changes();
      const { faults, killedFailures, factor } = await calibrated(async () => {
        const killed = await breakEach(stage, kill);
        const killedFailures = rolling.failures().length;
        return { faults: [...killed, ...(await breakEach(stage, blackHole(load)))], killedFailures };
      });
      const samples = await load.stop();
      const noticedMs = Math.max(...faults.map((fault) => lastBad(samples, fault, factor)));
      const besidesMs = latenciesOf(besides(samples, faults).map(({ ms }) => ms)).max;
      const created = await rolling.created(databases);
      writeReport({
        what: "cluster-two-replicas",
        promise: 35,
        requests: samples.length,
        rolledFailures: rolledFailures.length,
        killedFailures: killedFailures - rolledFailures.length,
        silentFailures: failed(samples).length - killedFailures,
        longestMs: Math.round(latenciesOf(samples.map(({ ms }) => ms)).max),
        noticedMs: Math.round(noticedMs),
        factor,
        created,
        failures: rolling.failures().slice(0, 20),
        ...(rolledFailures.length > 0 && { changes }),
      });
      expect(rolledFailures).toEqual([]);
      expect(failed(besides(samples, faults))).toEqual([]);
      expect(created).toEqual({ confirmed: created.confirmed, stored: created.confirmed, twice: 0 });
      await expectSound(system, databases);
      judgeTime(
        { what: "two-replicas: the balancer notices", measuredMs: noticedMs, limitMs: NOTICED_MS, factor },
        { what: "two-replicas: replies without a fault", measuredMs: besidesMs, limitMs: LONG_MS, factor },
      );
    });
  }, 240_000);

  test("control: a balancer without health checks sends requests to silent replicas all the time", async () => {
    await withStage(false, async (stage) => {
      const { load } = stage.rolling;
      const [first] = stage.system.services.workspace;
      const from = load.now();
      await blackHole(load, 2 * SILENT_MS)(first);
      const samples = await load.stop();
      const late = badSince(samples, { name: "workspace", from, to: load.now() }, NOTICED_MS);
      writeReport({ what: "cluster-two-replicas-control", promise: 35, late: late.length, requests: samples.length });
      expect(late.length).toBeGreaterThan(3);
    });
  }, 120_000);
});
