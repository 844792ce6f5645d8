import type { Contest, Contestant } from "./contestant.ts";
import type { Recorder } from "./figures.ts";
import { interleave } from "./interleave.ts";
import type { Load } from "./load.ts";
import { microsecondsPer, recordContest } from "./record-contest.ts";
import type { Client } from "./start-client.ts";

export interface ContestOptions {
  readonly part: string;
  readonly recorder: Recorder;
  readonly client: Client;
  readonly connections: number;
  readonly rounds: number;
  /** The seconds that the first contestant takes for a round, about; each contestant gets as many requests. */
  readonly seconds: number;
}

/**
 * Programs that have just started compile their code for a while: in the first 20,000 lists of a workspace's environments
 * that took 15 % of the environment service's processor time, after 60,000 less than 1 %.
 */
const WARM_UP_ROUNDS = 12;
/** The kernel counts processor time in hundredths of a second: of fewer requests it would see nothing. */
const MIN_PER_SECOND = 200;

/**
 * Measures processor time per request of all contestants in interleaved rounds; the first is the one compared. All
 * kinds of request are warmed up before the first is measured: otherwise that one would pay for the code of all.
 */
export async function holdContests(
  contests: readonly Contest[],
  contestants: readonly Contestant[],
  options: ContestOptions,
): Promise<void> {
  const counts = new Map<Contest, number>();
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const contest of contests) {
      counts.set(contest, await warmUp(contest, contestants, counts.get(contest) ?? 0, options));
    }
  }
  for (const contest of contests) await hold(contest, contestants, counts.get(contest) ?? 0, options);
}

/** Returns how many requests the first contestant serves in the time of a round. */
async function warmUp(contest: Contest, contestants: readonly Contestant[], count: number, options: ContestOptions) {
  const { max = Number.POSITIVE_INFINITY } = contest;
  const { seconds } = options;
  const bounded = (wanted: number) => Math.min(max, Math.max(wanted, Math.ceil(MIN_PER_SECOND * seconds)));
  const played = await interleave(contestants, 1, (contestant) => play(contest, contestant, bounded(count), options));
  const [[ours] = []] = [...played.values()];
  return bounded(Math.round((ours?.perSecond ?? 0) * seconds));
}

async function hold(contest: Contest, contestants: readonly Contestant[], count: number, options: ContestOptions) {
  const { part, recorder, rounds } = options;
  const measured = await interleave(contestants, rounds, (contestant) => play(contest, contestant, count, options));
  recordContest(recorder, { part, what: contest.what, unit: "µs of CPU per request" }, measured);
}

/** Sends the requests once. @throws Error when a response has another status */
async function play(contest: Contest, contestant: Contestant, count: number, { client, connections }: ContestOptions) {
  const { requests, what, status } = contest;
  await contest.before?.(contestant);
  const load: Load = { ports: [contestant.port], connections: Math.min(connections, count), count, requests };
  const before = await contestant.cpu();
  const { statuses, seconds } = await (contestant.client ?? client).play(load);
  await contestant.settled?.();
  const after = await contestant.cpu();
  if (statuses[status] !== count) {
    throw new Error(`${contestant.name}, ${what}: ${JSON.stringify(statuses)} instead of ${status}`);
  }
  return { perSecond: count / seconds, cpu: microsecondsPer(count, before, after, contestant.apart ?? []) };
}
