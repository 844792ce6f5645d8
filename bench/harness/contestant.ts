import type { FigureName, Recorder } from "./figures.ts";
import { interleave } from "./interleave.ts";
import type { Load } from "./load.ts";
import type { Client } from "./start-client.ts";

/** Programs that serve the same requests as others. */
export interface Contestant {
  readonly name: string;
  readonly port: number;
  /** Returns the processor time so far in milliseconds of each program by name. */
  cpu(): Promise<Record<string, number>> | Record<string, number>;
  /** Resolves when work that requests leave behind, such as publishing events, is done. */
  settled?(): Promise<void>;
  /** Programs that are not counted in the sum, such as the database. */
  readonly apart?: readonly string[];
  /** Calls it, where that is a program of the contestant, too; the client of all if absent. */
  readonly client?: Client;
}

/** A kind of request that all contestants serve. */
export interface Contest {
  readonly what: string;
  readonly status: number;
  readonly requests: readonly string[];
  /** The most requests of a round, where each has an effect of its own. */
  readonly most?: number;
  /** Creates or deletes what the requests need to be absent or present; not measured. */
  before?(contestant: Contestant): Promise<void>;
}

export interface ContestOptions {
  readonly part: string;
  readonly recorder: Recorder;
  readonly client: Client;
  readonly connections: number;
  readonly rounds: number;
  /** About how long the first contestant takes for a round, in seconds; each gets as many requests. */
  readonly seconds: number;
}

/** Programs that have just started compile their code for a while. */
const WARM_UP_ROUNDS = 4;

/** Measures processor time per request of all contestants in interleaved rounds; the first is the one compared. */
export async function holdContest(contest: Contest, contestants: readonly Contestant[], options: ContestOptions) {
  const { part, recorder, client, connections, rounds } = options;
  const play = async (contestant: Contestant, count: number) => {
    await contest.before?.(contestant);
    const { requests, what, status } = contest;
    const load: Load = { ports: [contestant.port], connections: Math.min(connections, count), count, requests };
    const before = await contestant.cpu();
    const { statuses, seconds } = await (contestant.client ?? client).play(load);
    await contestant.settled?.();
    const after = await contestant.cpu();
    if (statuses[status] !== count) {
      throw new Error(`${contestant.name}, ${what}: ${JSON.stringify(statuses)} instead of ${status}`);
    }
    return { perSecond: count / seconds, cpu: microsecondsPer(count, before, after, contestant.apart ?? []) };
  };
  const count = await chooseCount(contest, contestants, options, play);
  const measured = await interleave(contestants, rounds, (contestant) => play(contestant, count));
  const name = { part, what: contest.what, unit: "µs of CPU per request" };
  for (const [{ name: side }, all] of measured) {
    const used = all.map(({ cpu }) => cpu);
    for (const program of Object.keys(used[0] ?? {})) {
      recorder.record(
        { ...name, side, program },
        used.map((one) => one[program] ?? 0),
      );
    }
  }
  recordRatios(recorder, name, measured);
}

/** Warms all up, and returns how many requests the first contestant serves in the time of a round. */
async function chooseCount(
  { most = Number.POSITIVE_INFINITY }: Contest,
  contestants: readonly Contestant[],
  { seconds }: ContestOptions,
  play: (contestant: Contestant, count: number) => Promise<{ perSecond: number }>,
): Promise<number> {
  const least = Math.min(most, Math.ceil(200 * seconds));
  let count = least;
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    const [ours] = [...(await interleave(contestants, 1, (contestant) => play(contestant, count))).values()];
    count = Math.min(most, Math.max(least, Math.round((ours?.[0]?.perSecond ?? 0) * seconds)));
  }
  return count;
}

type Measured = Readonly<Record<string, number>>;

function recordRatios(
  recorder: Recorder,
  name: Omit<FigureName, "side" | "program" | "unit">,
  measured: ReadonlyMap<Contestant, readonly { cpu: Measured }[]>,
): void {
  const [[first, ours] = [], ...others] = [...measured];
  for (const [peer, theirs] of others) {
    const ratios = (ours ?? []).map(({ cpu }, round) => (cpu["all"] ?? 0) / (theirs[round]?.cpu["all"] ?? 0));
    if (!ratios.every(Number.isFinite)) continue; // so few requests that the clock of the kernel did not move
    recorder.record({ ...name, side: `${first?.name} / ${peer.name}`, program: "all", unit: "ratio" }, ratios);
  }
}

function microsecondsPer(count: number, before: Measured, after: Measured, apart: readonly string[]): Measured {
  const used = Object.entries(after).map(([name, ms]) => [name, (1000 * (ms - (before[name] ?? 0))) / count] as const);
  const sum = used.filter(([name]) => !apart.includes(name)).reduce((total, [, one]) => total + one, 0);
  return { all: sum, ...Object.fromEntries(used) };
}
