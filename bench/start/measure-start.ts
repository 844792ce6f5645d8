import { setTimeout as delay } from "node:timers/promises";
import { type Program, waitFor } from "@cloud/testkit";
import { startSystem } from "../../test/chaos/system/start-system.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { residentMb } from "../harness/memory.ts";
import type { Part } from "../part.ts";
import { importModules, writeImports } from "./import-modules.ts";

/** Milliseconds without work before a program's memory is read. Some took 10 MB more after 10 s than after 2. */
const IDLE_MS = 10_000;

/** Milliseconds after which a program that has just started has settled, and takes no time from the next one. */
const SETTLED_MS = 1_000;

/** The reconciler's interval. At 2 s, the interval of the chaos runs, a program compares links and is not idle. */
const DEFAULT_INTERVAL_MS = "300000";

/**
 * Measures the time from the start of each program until it is ready, beside a program that only imports the same
 * modules, and its memory when idle. As in the images, Node runs bundles and has no compile cache.
 */
export const measureStart: Part = async ({ rounds, small }, recorder) => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({
    mainOf: await bundlePrograms(),
    env: { ...IMAGE_ENVIRONMENT, NODE_DISABLE_COMPILE_CACHE: "1", RECONCILER_INTERVAL_MS: DEFAULT_INTERVAL_MS },
  });
  resources.defer(() => system.stop());
  const imports = await writeImports();
  const importMs = new Map<string, number[]>();
  const readyMs = new Map<string, number[]>();
  const idleMb = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const program of system.programs) {
      await program.stop();
      await delay(small ? 0 : SETTLED_MS);
      keep(importMs, program.name, await importModules(imports(program.name)));
      keep(readyMs, program.name, await startUntilReady(program));
    }
    await delay(small ? 0 : IDLE_MS);
    for (const program of system.programs) keep(idleMb, program.name, residentMb(program.pid() ?? 0));
  }
  const name = { part: "start", side: "cloud" };
  for (const [program, values] of readyMs) recorder.record({ ...name, what: "ready", program, unit: "ms" }, values);
  for (const [program, values] of importMs) {
    const peer = { ...name, side: "its modules, imported by Node", program };
    recorder.record({ ...peer, what: "ready", unit: "ms" }, values);
    const ratios = values.map((ms, round) => (readyMs.get(program)?.[round] ?? Number.NaN) / (ms / 2 + 100));
    recorder.record({ ...name, program, what: "ready, of half of that and 100 ms", unit: "ratio" }, ratios);
  }
  for (const [program, values] of idleMb) recorder.record({ ...name, what: "idle", program, unit: "MB" }, values);
};

/**
 * Returns the milliseconds from the start of a program until it is ready. It is first asked when its log says that it
 * serves: requests before that cost it and its machine a tenth to a fifth of a start.
 */
async function startUntilReady(program: Program): Promise<number> {
  const served = timesServed(program);
  const began = performance.now();
  await program.launch();
  while (timesServed(program) === served && program.isRunning()) await delay(5);
  await waitFor(() => isReady(program), { deadlineMs: 30_000 });
  return performance.now() - began;
}

const timesServed = (program: Program) => program.log().filter(({ msg }) => msg === "serving").length;

async function isReady({ operatorUrl }: Program): Promise<true | undefined> {
  const { status } = await fetch(`${operatorUrl}/readyz`);
  return status === 200 ? true : undefined;
}

function keep(values: Map<string, number[]>, name: string, value: number): void {
  values.set(name, [...(values.get(name) ?? []), value]);
}
