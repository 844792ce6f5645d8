import { type System, startSystem } from "../../test/chaos/system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import type { Part } from "../part.ts";
import { measureBacklog } from "./measure-backlog.ts";
import { type EffectFigures, measureEffect } from "./measure-effect.ts";
import { measurePlainLoop } from "./measure-plain-loop.ts";

/** Publishing and applying go on at once, as after an outage of NATS, or in turn, as after one of the receiver. */
const WAYS = [
  ["atOnce", ""],
  ["inTurn", ", in turn"],
] as const;

/**
 * Measures events from the outbox of one service to the tables of another: single events at low load, and a backlog,
 * beside the plainest loops on the same servers. Each backlog is the first of its system, as the tables of
 * the loops are always new: on one system, the fifth backlog was applied up to a quarter slower than the first.
 */
export const measureRelay: Part = async ({ rounds, small }, recorder) => {
  const mainOf = await bundlePrograms();
  const onNewSystem = async <T>(measure: (system: System, databases: SystemDatabases) => Promise<T>) => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({
      mainOf,
      env: { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" },
    });
    resources.defer(() => system.stop());
    const databases = openDatabases(system);
    resources.defer(() => databases.close());
    return await measure(system, databases);
  };
  const repeat = async <T>(measure: () => Promise<T>) => {
    const measured: T[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measure());
    return measured;
  };
  const name = { part: "relay", side: "cloud", program: "all" };

  const effects = await onNewSystem(async (system, databases) => {
    await measureEffect(system, databases, small ? 5 : 100); // programs that have just started compile their code
    return await repeat(() => measureEffect(system, databases, small ? 10 : 300));
  });
  const what = "effect at 20 events/s";
  for (const key of ["p50", "p99"] as const) {
    const record = (unit: string, of: (one: EffectFigures) => number) =>
      recorder.record({ ...name, what, program: key, unit }, effects.map(of));
    record("ms of the write itself", ({ response }) => response[key]);
    record("ms from response to effect", ({ effect }) => effect[key]);
    record("effect / write", ({ effect, response }) => effect[key] / response[key]);
  }

  const events = small ? 300 : 50_000;
  const backlogs = await repeat(async () => ({
    loop: await onNewSystem((system) => measurePlainLoop(system, events)),
    atOnce: await onNewSystem((...on) => measureBacklog(...on, { events, inTurn: false })),
    inTurn: await onNewSystem((...on) => measureBacklog(...on, { events, inTurn: true })),
  }));
  for (const key of ["publishedPerSecond", "appliedPerSecond"] as const) {
    const rate = {
      ...name,
      what: `backlog of ${events}`,
      program: key.replace("PerSecond", ""),
      unit: "events per second",
    };
    const loops = backlogs.map(({ loop }) => loop[key]);
    recorder.record({ ...rate, side: "a plain loop" }, loops);
    for (const [way, suffix] of WAYS) {
      const what = rate.what + suffix;
      const values = backlogs.map((round) => round[way][key]);
      recorder.record({ ...rate, what }, values);
      const ratios = values.map((value, round) => value / (loops[round] ?? Number.NaN));
      recorder.record({ ...rate, what, side: "cloud / a plain loop", unit: "ratio" }, ratios);
    }
  }
  for (const [way, suffix] of WAYS) {
    for (const program of ["environment", "workspace"]) {
      const values = backlogs.map((round) => round[way].cpu[program] ?? 0);
      recorder.record({ ...name, what: `backlog of ${events}${suffix}`, unit: "µs of CPU per event", program }, values);
    }
  }
};
