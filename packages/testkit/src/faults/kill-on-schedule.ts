import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Program } from "../start-program.ts";

/** Something that can be killed and restarted: a program, a Postgres, a nats-server. */
export interface Victim {
  readonly name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

interface KillSchedule {
  /** A victim listed several times is killed more often. */
  readonly victims: readonly [Victim, ...Victim[]];
  readonly kills: number;
  /** Least and most milliseconds from one start to the next kill. */
  readonly pauseMs: readonly [number, number];
  /** Least and most milliseconds that a victim stays dead. */
  readonly deadMs: readonly [number, number];
  readonly random: Random;
}

/** Kills one victim after another, each restarted before the next is killed. Returns how often each was killed. */
export async function killOnSchedule({ victims, kills, pauseMs, deadMs, random }: KillSchedule) {
  const killed: Record<string, number> = {};
  for (let kill = 0; kill < kills; kill++) {
    const victim = random.pick(victims);
    await delay(random.between(...pauseMs));
    await victim.kill();
    killed[victim.name] = (killed[victim.name] ?? 0) + 1;
    await delay(random.between(...deadMs));
    await victim.start();
  }
  return killed;
}

interface StopSchedule {
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
