import { waitFor } from "@cloud/testkit";
import { killOnSchedule, type Victim } from "@cloud/testkit/faults";
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
import { startMixedLoad } from "./postgres-stops/mixed-load.ts";
import { expectSound } from "./system/expect-sound.ts";
import { SERVICES, type System, startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

/** The SIGKILLs to the server and all its processes, in addition to the stops. */
const KILLS = 1;

/** A period in which Postgres was down, in milliseconds on the load's clock. */
interface Outage {
  readonly from: number;
  to: number;
  /** The time from Postgres accepting connections again to every service being ready. */
  readyMs: number;
}

const isReady = async (url: string) => (await fetch(url + "/readyz")).status === 200;

async function ready({ services }: System): Promise<void> {
  const urls = SERVICES.flatMap((name) => services[name].map(({ operatorUrl }) => operatorUrl));
  const all = async () => (await Promise.all(urls.map(isReady))).every(Boolean) || undefined;
  await waitFor(all, { deadlineMs: 30_000 });
}

/** Repeatedly stops Postgres immediately, then kills it; `now` returns the time of the load. */
async function breakPostgres(
  system: System,
  now: () => number,
  { stops, kills, seed }: { readonly stops: number; readonly kills: number; readonly seed: number },
): Promise<Outage[]> {
  const { postgres } = system;
  const outages: Outage[] = [];
  const victim = (name: string, end: () => Promise<void>): Victim => ({
    name,
    kill: async () => {
      outages.push({ from: now(), to: 0, readyMs: 0 });
      await end();
    },
    start: async () => {
      await postgres.start();
      const outage = outages.at(-1) as Outage;
      outage.to = now();
      await ready(system);
      outage.readyMs = now() - outage.to;
    },
  });
  const schedule = { pauseMs: [200, 500], deadMs: [200, 500], random: createRandom(seed) } as const;
  await killOnSchedule({ ...schedule, victims: [victim("stopped", postgres.stopImmediately)], kills: stops });
  await killOnSchedule({ ...schedule, victims: [victim("killed", postgres.kill)], kills });
  return outages;
}

describe("Postgres stopped immediately under load: every 2xx reads back, no process exits, ready at most 3 s after it is back", () => {
  test("requests meanwhile get 503 and do not hang", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem();
    resources.defer(() => system.stop());
    const seed = runSeed();
    const stops = runFigures({ ci: 20, long: 100 });
    const { outages, samples, missing, factor } = await calibrated(async () => {
      const { load, missing } = startMixedLoad(system, 60);
      resources.defer(async () => void (await load.stop()));
      const outages = await breakPostgres(system, load.now, { stops, kills: KILLS, seed });
      return { outages, samples: await load.stop(), missing };
    });

    const databases = openDatabases(system);
    resources.defer(() => databases.close());
    await expectSound(system, databases);
    const meanwhile = samples.filter(({ at }) => outages.some(({ from, to }) => at >= from && at < to));
    const refused = samples.filter(({ result }) => result?.status === 503 || result?.status === 504);
    const wrong = samples.filter((sample) => sample.result?.correct !== true && !refused.includes(sample));
    const statuses = Object.groupBy(samples, ({ result }) => String(result?.status));
    const begunWhileDown = latenciesOf(meanwhile.map(({ ms }) => ms));
    const refusals = latenciesOf(refused.map(({ ms }) => ms));
    const readyAgain = latenciesOf(outages.map(({ readyMs }) => readyMs));
    writeReport({
      what: "postgres-stops",
      promise: 5,
      stops,
      kills: KILLS,
      requests: samples.length,
      statuses: Object.fromEntries(Object.entries(statuses).map(([status, list = []]) => [status, list.length])),
      begunWhileDown,
      refused: refusals,
      all: latenciesOf(samples.map(({ ms }) => ms)),
      readyAgain,
      factor,
    });
    expect(wrong.map(({ result, error }) => result ?? error)).toEqual([]);
    expect(refused.filter(({ result }) => result?.retryAfter === null)).toEqual([]);
    expect(await missing(databases)).toEqual([]);
    // No hang: no request waits longer than for a connection (2 s), and all are answered before a peer would time out
    // (5 s).
    judgeTime(
      { what: "postgres-stops: ready again", measuredMs: readyAgain.max, limitMs: 3_000, factor },
      { what: "postgres-stops: refusals, p99", measuredMs: refusals.p99, limitMs: 2_000, factor },
      { what: "postgres-stops: replies while down", measuredMs: begunWhileDown.max, limitMs: 5_000, factor },
    );
  }, 300_000);

  test("control: without the error listeners a process exits", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({ remove: ["errorListeners"] });
    resources.defer(() => system.stop());
    await system.postgres.stopImmediately();
    const crashed = await waitFor(() => system.programs.filter((program) => program.crashes() > 0)[0], {
      deadlineMs: 10_000,
    });
    const last = crashed.log().find(({ msg }) => msg.includes("Unhandled 'error' event"));
    writeReport({ what: "postgres-stops-control", promise: 5, exited: crashed.name, message: last?.msg });
    expect(last).toBeDefined();
  }, 60_000);
});
