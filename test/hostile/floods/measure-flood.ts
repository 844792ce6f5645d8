import { type Bound, calibrated, isInTime, judgeTime, measureUntil, waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import type { System } from "../../chaos/system/start-system.ts";
import { watchMemory } from "../wire/watch-memory.ts";
import { type Callers, failuresOf, latencies } from "./callers.ts";
import type { Done } from "./done.ts";
import { type FloodName, floodOf } from "./floods.ts";
import { measureRecovery } from "./measure-recovery.ts";
import { type Sink, startAttack } from "./start-processes.ts";

/** The promise about every flood. */
export const MOST = { ratio: 2, memoryMiB: 256, recoveryMs: 2_000 };

export interface Arena {
  readonly system: System;
  readonly callers: Callers;
  readonly sink: Sink;
  /** Resident memory of each program in MiB while it was idle. */
  readonly idle: Readonly<Record<string, number>>;
}

export interface FloodFigures {
  /** The others' p99 in milliseconds while the same client attacks the sink, and the program. */
  readonly p99: { readonly control: number; readonly flood: number };
  readonly ratio: number;
  /** The most that any program took above its memory when idle. */
  readonly memoryMiB: number;
  readonly recoveryMs: number;
  /** Requests of the others that were not answered with 200, beside the sink and in the flood. */
  readonly failures: Readonly<Record<string, number>>;
  readonly attacker: Done;
  readonly crashed: readonly string[];
  /** How many times slower the machine was than a quiet one. */
  readonly factor: number;
}

/** With 60 requests a second, the 99th percentile is that of the four slowest. */
const WINDOW_MS = 6_000;

/** Attacks the sink and then the program, and measures what others notice. */
export const measureFlood = (arena: Arena, name: FloodName): Promise<FloodFigures> =>
  calibrated(() => attackBoth(arena, name));

async function attackBoth({ system, callers, sink, idle }: Arena, name: FloodName) {
  const control = await besides(callers, name, sink.port);
  const memory = watchMemory(system.programs);
  const flood = await besides(callers, name, attackedPort(system, name));
  const recovering = callers.start();
  const recoveryMs = await measureRecovery(recovering);
  await recovering.stop();
  const peaks = Object.entries(memory.stop()).map(([program, { peak }]) => peak - (idle[program] ?? 0));
  const samples = { control: await control.samples(), flood: await flood.samples() };
  const p99 = { control: latencies(samples.control).p99, flood: latencies(samples.flood).p99 };
  return {
    p99,
    ratio: Math.round((p99.flood / p99.control) * 100) / 100,
    memoryMiB: Math.max(...peaks),
    recoveryMs,
    failures: failuresOf([...samples.control, ...samples.flood]),
    attacker: flood.done,
    crashed: system.programs.filter((program) => program.crashes() > 0).map((program) => program.name),
  };
}

/** Measures until the latencies hold; what is counted must hold in each attempt. */
export async function endureFlood(arena: Arena, name: FloodName) {
  const fits = (one: FloodFigures) => one.ratio <= mostRatio(name) && isInTime(recovery(name, one));
  return await measureUntil(fits, async () => {
    const figures = await measureFlood(arena, name);
    expect({ crashed: figures.crashed, failures: figures.failures }).toEqual({ crashed: [], failures: {} });
    expect(figures.memoryMiB).toBeLessThanOrEqual(MOST.memoryMiB);
    return figures;
  });
}

export function expectHeld(name: FloodName, figures: FloodFigures): void {
  expect(figures.ratio).toBeLessThanOrEqual(mostRatio(name));
  judgeTime(recovery(name, figures));
}

/** Others may wait while the port for operators is flooded, which no client reaches: up to 28 times as long was measured. */
const mostRatio = (name: FloodName) => (floodOf(name).target === "operator" ? Number.POSITIVE_INFINITY : MOST.ratio);

const recovery = (name: FloodName, { recoveryMs, factor }: FloodFigures): Bound => {
  return { what: `${name}: all is as before`, measuredMs: recoveryMs, limitMs: MOST.recoveryMs, factor };
};

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
