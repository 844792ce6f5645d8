import { type Program, waitFor } from "@cloud/testkit";
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
  /** Requests of the others that were not answered with 200, in the flood. */
  readonly failures: Readonly<Record<string, number>>;
  readonly attacker: Done;
  readonly crashed: readonly string[];
}

/** With 60 requests a second, the 99th percentile is that of the four slowest. */
const WINDOW_MS = 6_000;

/** Attacks the sink and then the program, and measures what others notice. */
export async function measureFlood({ system, callers, sink, idle }: Arena, name: FloodName): Promise<FloodFigures> {
  const control = await besides(callers, name, sink.port);
  const memory = watchMemory(system.programs);
  const flood = await besides(callers, name, attacked(system, name).port);
  const recovering = callers.start();
  const recoveryMs = await measureRecovery(recovering);
  await recovering.stop();
  const peaks = Object.entries(memory.stop()).map(([program, { peak }]) => peak - (idle[program] ?? 0));
  const samples = await flood.samples();
  const p99 = { control: latencies(await control.samples()).p99, flood: latencies(samples).p99 };
  return {
    p99,
    ratio: Math.round((p99.flood / p99.control) * 100) / 100,
    memoryMiB: Math.max(...peaks),
    recoveryMs,
    failures: failuresOf(samples),
    attacker: flood.done,
    crashed: system.programs.filter((program) => program.crashes() > 0).map((program) => program.name),
  };
}

export const holds = ({ ratio, memoryMiB, recoveryMs }: FloodFigures) =>
  ratio <= MOST.ratio && memoryMiB <= MOST.memoryMiB && recoveryMs <= MOST.recoveryMs;

const attacked = ({ gateway, services }: System, name: FloodName): Program =>
  floodOf(name).target === "gateway" ? gateway : services.workspace[0];

/** Ordinary callers beside a flood. `samples` resolves when the last of them has its answer. */
async function besides(callers: Callers, name: FloodName, port: number) {
  const attack = await startAttack(name, port);
  const load = callers.start();
  await waitFor(() => load.now() >= WINDOW_MS || undefined, { deadlineMs: 2 * WINDOW_MS });
  const samples = load.stop();
  const done = await attack.stop();
  return { samples: () => samples, done };
}
