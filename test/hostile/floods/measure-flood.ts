import { waitFor } from "@cloud/testkit";
import { type Bound, byControl, calibrated, isInTime, judgeTime, measureUntil } from "@cloud/testkit/figures";
import { expect } from "@jest/globals";
import type { System } from "../../chaos/system/start-system.ts";
import { watchMemory } from "../wire/watch-memory.ts";
import { type Callers, failuresOf, latencies } from "./callers.ts";
import type { Done } from "./done.ts";
import { type FloodName, floodOf } from "./floods.ts";
import { measureRecovery } from "./measure-recovery.ts";
import { type Sink, startAttack } from "./start-processes.ts";

/**
 * The promise about every flood; the ratio at the gateway only, where nothing fails either. A service's port is for
 * programs of the network.
 */
const MOST = { ratio: 2, failed: 0.25, memoryMiB: 256, recoveryMs: 2_000 };

export interface Arena {
  readonly system: System;
  readonly callers: Callers;
  readonly sink: Sink;
  /** Resident memory of each program in MiB while it was idle. */
  readonly idle: Readonly<Record<string, number>>;
}

export interface FloodFigures {
  /** The others' p99 in milliseconds while the same client attacks the sink, the program, and the sink again. */
  readonly p99: { readonly before: number; readonly flood: number; readonly after: number };
  /** The ratio of the p99 during the flood to the p99 before. */
  readonly ratio: number;
  /** The share of the others' requests that failed during the flood. */
  readonly failed: number;
  /** The most that any program took above its memory when idle. */
  readonly memoryMiB: number;
  readonly recoveryMs: number;
  /** Requests of the others that were not answered with 200, beside the sink and in the flood. */
  readonly failures: Readonly<Record<string, number>>;
  readonly attacker: Done;
  readonly crashed: readonly string[];
  /** The factor by which the machine was slower than a quiet one. */
  readonly factor: number;
}

/** The length of a window. With 60 requests a second, the four slowest requests decide the 99th percentile. */
const WINDOW_MS = 6_000;

/** Attacks the sink, the program and the sink again, and measures what others notice. */
export const measureFlood = (arena: Arena, name: FloodName): Promise<FloodFigures> =>
  calibrated(() => attackBoth(arena, name));

async function attackBoth({ system, callers, sink, idle }: Arena, name: FloodName) {
  const before = await besides(callers, name, sink.port);
  const memory = watchMemory(system.programs);
  const flood = await besides(callers, name, attackedPort(system, name));
  const recovering = callers.start();
  const recoveryMs = await measureRecovery(recovering);
  await recovering.stop();
  const peaks = Object.entries(memory.stop()).map(([program, { peak }]) => peak - (idle[program] ?? 0));
  const after = await besides(callers, name, sink.port);
  const samples = [await before.samples(), await flood.samples(), await after.samples()] as const;
  const [ofBefore, ofFlood, ofAfter] = samples;
  const p99 = { before: latencies(ofBefore).p99, flood: latencies(ofFlood).p99, after: latencies(ofAfter).p99 };
  return {
    p99,
    ratio: Math.round((p99.flood / p99.before) * 100) / 100,
    failed: ofFlood.filter(({ result }) => result !== 200).length / ofFlood.length,
    memoryMiB: Math.max(...peaks),
    recoveryMs,
    failures: failuresOf(samples.flat()),
    attacker: flood.done,
    crashed: system.programs.filter((program) => program.crashes() > 0).map((program) => program.name),
  };
}

/** Measures until what depends on the machine holds; what is counted must hold in each attempt. */
export async function endureFlood(arena: Arena, name: FloodName) {
  const fits = (one: FloodFigures) => boundsOf(name, one).every(isInTime);
  return await measureUntil(fits, async () => {
    const figures = await measureFlood(arena, name);
    expect(figures.crashed).toEqual([]);
    if (protectsOthers(name)) expect(figures.failures).toEqual({});
    expect(figures.failed).toBeLessThanOrEqual(MOST.failed);
    expect(figures.memoryMiB).toBeLessThanOrEqual(MOST.memoryMiB);
    return figures;
  });
}

export const expectHeld = (name: FloodName, figures: FloodFigures) => judgeTime(...boundsOf(name, figures));

/** Whether a figure of the promise, as of a control, shows that it is broken. */
export const isBroken = (name: FloodName, { ratio, failed, memoryMiB, recoveryMs, crashed }: FloodFigures) =>
  (protectsOthers(name) && ratio > MOST.ratio) ||
  failed > MOST.failed ||
  memoryMiB > MOST.memoryMiB ||
  recoveryMs > MOST.recoveryMs ||
  crashed.length > 0;

const protectsOthers = (name: FloodName) => floodOf(name).target !== "workspace";

function boundsOf(name: FloodName, { p99, recoveryMs, factor }: FloodFigures): Bound[] {
  const limitMs = MOST.ratio * Math.max(p99.before, p99.after);
  const others = byControl({ what: `${name}: others, p99`, measuredMs: p99.flood, limitMs, factor });
  const recovery = { what: `${name}: all is as before`, measuredMs: recoveryMs, limitMs: MOST.recoveryMs, factor };
  return protectsOthers(name) && floodOf(name).delays === undefined ? [others, recovery] : [recovery];
}

function attackedPort({ gateway, services }: System, name: FloodName): number {
  const operator = Number(new URL(gateway.operatorUrl).port);
  return { gateway: gateway.port, workspace: services.workspace[0].port, operator }[floodOf(name).target];
}

/** Ordinary callers beside a flood. `samples` resolves when the last of them has its answer. */
async function besides(callers: Callers, name: FloodName, port: number) {
  const attack = await startAttack(name, port);
  const load = callers.start();
  await waitFor(() => load.now() >= WINDOW_MS || undefined, { deadlineMs: 2 * WINDOW_MS });
  const samples = load.stop();
  const done = await attack.stop();
  return { samples: () => samples, done };
}
