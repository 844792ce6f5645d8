import { setTimeout as delay } from "node:timers/promises";
import { type Program, waitFor } from "@cloud/testkit";
import type { FaultProxy } from "@cloud/testkit/faults";
import type { Random } from "@cloud/testkit/figures";

/** Replicas and the load balancer in front of them. */
export interface Group {
  readonly name: string;
  readonly balancer: FaultProxy;
  readonly programs: readonly [Program, ...Program[]];
}

export interface Rolled {
  /** The exit code after each SIGTERM. */
  readonly codes: (number | null)[];
  /** The time from each SIGTERM to the exit, in milliseconds. */
  readonly endedMs: number[];
  /** The time from each SIGTERM until the program received no new connection, in milliseconds. */
  readonly leftMs: number[];
}

const DEADLINE_MS = 30_000;

/**
 * Sends one SIGTERM after the other, each to one replica of the group, as a rollout does: the next when it is ready
 * again. As in Kubernetes the load balancer notices late: `lagMs` after the program reports that it is not ready.
 */
export async function rollReplicas(
  { balancer, programs }: Group,
  {
    times,
    lagMs,
    random,
    until = () => false,
  }: { times: number; lagMs: number; random: Random; until?: () => boolean },
): Promise<Rolled> {
  const rolled: Rolled = { codes: [], endedMs: [], leftMs: [] };
  const sendTo = (chosen: readonly Program[]) =>
    balancer.setTargets(chosen.map(({ port }) => ({ host: "127.0.0.1", port })));
  for (let time = 0; time < times && !until(); time++) {
    const program = random.pick(programs);
    const before = performance.now();
    const ended = program.stop().finally(() => rolled.endedMs.push(performance.now() - before));
    await waitFor(async () => !(await isReady(program)) || undefined, { deadlineMs: DEADLINE_MS });
    await delay(lagMs);
    sendTo(programs.filter((other) => other !== program));
    rolled.leftMs.push(performance.now() - before);
    rolled.codes.push(await ended);
    await program.start();
    await waitFor(async () => (await isReady(program)) || undefined, { deadlineMs: DEADLINE_MS });
    sendTo(programs);
  }
  return rolled;
}

async function isReady({ operatorUrl }: Program): Promise<boolean> {
  try {
    return (await fetch(operatorUrl + "/readyz", { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false; // unreachable
  }
}
