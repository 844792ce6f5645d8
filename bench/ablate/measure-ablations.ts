import { startSystem } from "../../test/chaos/system/start-system.ts";
import type { Contest, Contestant } from "../harness/contestant.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { interleave } from "../harness/interleave.ts";
import { microsecondsPer } from "../harness/record-contest.ts";
import { type Client, startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import { pathContests } from "../path/contests.ts";
import { openLinks } from "../path/links.ts";
import { findShared, systemContestant } from "../path/system-contestant.ts";
import { pairsOfTenants, requestersOf, seedTenants } from "../path/tenants.ts";
import { type Mechanism, mechanisms } from "./mechanisms.ts";

const CONNECTIONS = 16;
const WARM_UP_ROUNDS = 4;
/** The low rate as a share of the requests a second at the peak. */
const BELOW_PEAK = 0.3;
/**
 * The least rate: the kernel counts processor time in hundredths of a second, and would count fewer requests as none.
 */
const MIN_PER_SECOND = 200;

/** A system with its requests, which name its own records. */
interface Side {
  readonly contestant: Contestant;
  readonly contests: readonly Contest[];
}

/** The pace of requests: as fast as the responses arrive, or at a rate a second. */
interface Pace {
  readonly name: string;
  readonly count: number;
  readonly perSecond?: number;
}

/**
 * Measures what each mechanism saves: the processor time per request of the system without it, divided by that of the
 * system as it is. Both run from their sources, with databases of their own, and are measured in turn. They are started
 * again for each round: what the compiler makes of two equal programs differs by up to a sixth for as long as they run.
 */
export const measureAblations: Part = async ({ rounds, seconds, only }, recorder) => {
  for (const mechanism of mechanisms.filter(({ name }) => only === undefined || name.includes(only))) {
    const ratios = new Map<string, { all: number[]; withPostgres: number[] }>();
    for (let round = 0; round < rounds; round++) {
      for (const [what, { all, withPostgres }] of await measureOnce(mechanism, round, seconds)) {
        const kept = ratios.get(what) ?? { all: [], withPostgres: [] };
        kept.all.push(all);
        kept.withPostgres.push(withPostgres);
        ratios.set(what, kept);
      }
    }
    for (const [what, { all, withPostgres }] of ratios) {
      const name = { part: "ablate", what: `${mechanism.name}: ${what}`, side: "without / with", unit: "ratio" };
      recorder.record({ ...name, program: "all" }, all);
      recorder.record({ ...name, program: "with Postgres" }, withPostgres);
    }
  }
};

interface Ratios {
  /** The ratio of the programs' CPU time, without Postgres. */
  readonly all: number;
  readonly withPostgres: number;
}

async function measureOnce(mechanism: Mechanism, round: number, seconds: number): Promise<Map<string, Ratios>> {
  await using resources = new AsyncDisposableStack();
  const client = startClient();
  resources.defer(() => client.stop());
  const kept = await startSide("with", [], resources);
  const cut = await startSide("without", mechanism.removed, resources);
  const sides: readonly Side[] = round % 2 === 0 ? [kept, cut] : [cut, kept];
  const isOnPath = ({ what }: Contest) => mechanism.requests?.includes(what) ?? true;
  const measured = kept.contests
    .map((contest, index) => ({ contest, index }))
    .filter(({ contest }) => isOnPath(contest));

  // 1. Programs that have just started compile their code for a while.
  const peaks = new Map<number, number>();
  for (let warmUp = 0; warmUp < WARM_UP_ROUNDS; warmUp++) {
    for (const { contest, index } of measured) {
      const count = countFor(contest, (peaks.get(index) ?? 0) * seconds, seconds);
      const played = await interleave(sides, 1, (side) => play(client, side, index, { name: "warm-up", count }));
      peaks.set(index, played.get(kept)?.[0]?.perSecond ?? 0);
    }
  }
  // 2. At the peak, then below it; the sides in turn, and then in the reversed order.
  const ratios = new Map<string, Ratios>();
  for (const { contest, index } of measured) {
    const peak = peaks.get(index) ?? 0;
    const perSecond = BELOW_PEAK * peak;
    const paces: Pace[] = [
      { name: "at the peak", count: countFor(contest, peak * seconds, seconds) },
      { name: "at 30 % of it", count: countFor(contest, 2 * perSecond * seconds, 0), perSecond },
    ];
    for (const pace of paces) {
      const played = await interleave(sides, 2, (side) => play(client, side, index, pace));
      const sum = (side: Side, programs: readonly string[]) =>
        (played.get(side) ?? []).reduce(
          (total, { cpu }) => total + programs.reduce((all, one) => all + (cpu[one] ?? 0), 0),
          0,
        );
      const ratioOf = (...programs: string[]) => sum(cut, programs) / sum(kept, programs);
      ratios.set(`${contest.what}, ${pace.name}`, { all: ratioOf("all"), withPostgres: ratioOf("all", "postgres") });
    }
  }
  return ratios;
}

async function startSide(name: string, removed: Mechanism["removed"], resources: AsyncDisposableStack): Promise<Side> {
  const system = await startSystem({
    removeAlso: removed,
    env: { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" },
  });
  resources.defer(() => system.stop());
  const tenants = await seedTenants(system);
  const pairs = pairsOfTenants(tenants);
  const links = await openLinks(system.databaseUrl, pairs);
  resources.defer(() => links.close());
  const contestant = { ...systemContestant(system, await findShared(system), links), name };
  return { contestant, contests: pathContests(requestersOf(tenants), pairs, links) };
}

const countFor = ({ max = Number.POSITIVE_INFINITY }: Contest, wanted: number, seconds: number) =>
  Math.min(max, Math.max(Math.round(wanted), Math.ceil(MIN_PER_SECOND * seconds), 1));

/** Sends the requests once. @throws Error when a response has another status */
async function play(client: Client, { contestant, contests }: Side, index: number, { name, count, perSecond }: Pace) {
  const { what, status, requests, before } = contests[index] as Contest;
  await before?.(contestant);
  const since = await contestant.cpu();
  const rate = perSecond === undefined ? {} : { perSecond };
  const load = { ports: [contestant.port], connections: Math.min(CONNECTIONS, count), count, requests, ...rate };
  const { statuses, seconds } = await client.play(load);
  await contestant.settled?.();
  const cpu = microsecondsPer(count, since, await contestant.cpu(), contestant.apart ?? []);
  if (statuses[status] !== count) {
    throw new Error(`${contestant.name}, ${what} ${name}: ${JSON.stringify(statuses)} instead of ${status}`);
  }
  return { perSecond: count / seconds, cpu };
}
