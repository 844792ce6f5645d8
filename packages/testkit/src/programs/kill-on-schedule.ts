import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";

/** Something that can be killed and restarted: a program, a Postgres, a nats-server. */
export interface Victim {
  readonly name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface KillSchedule {
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
