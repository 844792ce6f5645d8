import { setTimeout as delay } from "node:timers/promises";
import type { Program } from "./start-program.ts";

export interface StopSchedule {
  /** Stopped in turn. */
  readonly victims: readonly Pick<Program, "pause" | "resume">[];
  readonly stops: number;
  /** Milliseconds in which it works before it is stopped. */
  readonly pauseMs: number;
  /** Milliseconds for which it is stopped: it neither works nor loses a connection. */
  readonly stoppedMs: number;
}

/** Stops one program after another by SIGSTOP; each runs again before the next is stopped. */
export async function stopOnSchedule({ victims, stops, pauseMs, stoppedMs }: StopSchedule): Promise<void> {
  for (let stop = 0; stop < stops; stop++) {
    const victim = victims[stop % victims.length];
    await delay(pauseMs);
    victim?.pause();
    await delay(stoppedMs);
    victim?.resume();
  }
}
