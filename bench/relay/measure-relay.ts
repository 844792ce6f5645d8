import { startSystem } from "../../test/chaos/system/start-system.ts";
import { openDatabases } from "../../test/chaos/system/system-databases.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import type { Part } from "../part.ts";
import { type BacklogFigures, measureBacklog } from "./measure-backlog.ts";
import { measureEffect } from "./measure-effect.ts";

/** The most rounds; each takes half a minute. */
const MAX_ROUNDS = 3;

/**
 * Measures events from the outbox of one service to the tables of another: a backlog, and single events at low load.
 */
export const measureRelay: Part = async ({ rounds, small }, recorder) => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({
    mainOf: await bundlePrograms(),
    env: { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" },
  });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const times = Math.min(rounds, MAX_ROUNDS);
  const repeat = async <T>(measure: () => Promise<T>) => {
    const measured: T[] = [];
    for (let round = 0; round < times; round++) measured.push(await measure());
    return measured;
  };
  const name = { part: "relay", side: "cloud", program: "all" };

  await measureEffect(system, databases, small ? 5 : 100); // programs that have just started compile their code
  const effects = await repeat(() => measureEffect(system, databases, small ? 10 : 300));
  const effect = { ...name, what: "effect at 20 events/s", unit: "ms from response to effect" };
  for (const key of ["p50", "p99"] as const) {
    recorder.record(
      { ...effect, program: key },
      effects.map((one) => one[key]),
    );
  }

  const events = small ? 300 : 50_000;
  for (const inTurn of [false, true]) {
    const backlogs = await repeat(() => measureBacklog(system, databases, { events, inTurn }));
    const what = `backlog of ${events}${inTurn ? ", in turn" : ""}`;
    const rate = (side: string, of: (one: BacklogFigures) => number) =>
      recorder.record({ ...name, what, unit: "events per second", program: side }, backlogs.map(of));
    rate("published", (one) => one.publishedPerSecond);
    rate("applied", (one) => one.appliedPerSecond);
    for (const program of ["environment", "workspace"]) {
      const values = backlogs.map(({ cpu }) => cpu[program] ?? 0);
      recorder.record({ ...name, what, unit: "µs of CPU per event", program }, values);
    }
  }
};
