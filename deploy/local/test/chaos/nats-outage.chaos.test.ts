import { latenciesOf, runFigures, type Sample, startLoad, waitFor, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { prepareWrites, type Write } from "./linked-records/event-writes.ts";
import { type EndedLinks, watchEndedLinks } from "./linked-records/watch-ended-links.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type Behind, lookBehind } from "./system/look-behind.ts";
import { type System, startSystem } from "./system/start-system.ts";

const PER_SECOND = 100;
const OUTAGE_S = 60;
/** Before the outage, and again after it. */
const BASELINE_S = runFigures({ ci: 10, long: 60 });
const WARM_UP_S = 4;
const DRAIN_S = 15;
/** What a load of all phases needs, and some more. */
const WRITES = PER_SECOND * (WARM_UP_S + OUTAGE_S + 2 * BASELINE_S + 2 * DRAIN_S + 10);

const unpublished = async ({ query }: Behind, until: Date): Promise<number> => {
  const [row] = await query<{ sum: string }>(
    "select (select count(*) from identity.outbox where published_at is null and created_at < $1)" +
      " + (select count(*) from environment.outbox where published_at is null and created_at < $1)" +
      " + (select count(*) from workspace.outbox where published_at is null and created_at < $1) as sum",
    [until],
  );
  return Number(row?.sum);
};

const clockOf = async ({ query }: Behind): Promise<Date> => {
  const [row] = await query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date(Number.NaN);
};

const owedBy = (samples: readonly Sample<Write>[]) => samples.flatMap(({ answer }) => answer?.owed ?? []);

interface Outage {
  readonly samples: readonly Sample<Write>[];
  readonly before: readonly Sample<Write>[];
  readonly during: readonly Sample<Write>[];
  readonly after: readonly Sample<Write>[];
  /** Events that waited when NATS came back. */
  readonly backlog: number;
  /** From then until all of them were published, and what they owe was done. */
  readonly drainedMs: number;
}

/** The load, NATS killed in the midst of it and started again. */
async function playOutage(system: System, behind: Behind, links: EndedLinks): Promise<Outage> {
  const load = startLoad(PER_SECOND, await prepareWrites(system, behind, WRITES));
  try {
    const until = (ms: number) => waitFor(() => load.now() >= ms || undefined, { deadlineMs: Math.ceil(ms) });
    // 1. As usual.
    await until(WARM_UP_S * 1000);
    const usualFrom = load.now();
    await until(usualFrom + BASELINE_S * 1000);
    // 2. The outage.
    const downFrom = load.now();
    await system.nats.kill();
    await until(downFrom + OUTAGE_S * 1000);
    const downTo = load.now();
    const cutoff = await clockOf(behind);
    const backlog = await unpublished(behind, cutoff);
    const owed = owedBy(load.samples());
    // 3. The backlog.
    await system.nats.start();
    const back = load.now();
    const isDone = async () => owed.every((id) => links.endedAt.has(id)) && (await unpublished(behind, cutoff)) === 0;
    await waitFor(async () => (await isDone()) || undefined, { deadlineMs: 2 * DRAIN_S * 1000 });
    const usualAgainFrom = load.now();
    // 4. As usual again.
    await until(usualAgainFrom + BASELINE_S * 1000);
    const samples = await load.stop();

    const between = (from: number, to: number) => samples.filter(({ at }) => at >= from && at < to);
    return {
      samples,
      before: between(usualFrom, downFrom),
      during: between(downFrom, downTo),
      after: between(usualAgainFrom, Number.POSITIVE_INFINITY),
      backlog,
      drainedMs: Math.round(usualAgainFrom - back),
    };
  } finally {
    await load.stop();
  }
}

const TITLE = "no write fails or is slower than twice its usual p99, and the backlog is drained within 15 s";

describe("NATS down for 60 s at 100 writes/s", () => {
  test(TITLE, runOutage, runFigures({ ci: 180_000, long: 300_000 }));
});

async function runOutage(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem();
  resources.defer(() => system.stop());
  const behind = lookBehind(system);
  resources.defer(() => behind.close());
  const links = await watchEndedLinks(system);
  resources.defer(() => links.close());
  const { samples, before, during, after, backlog, drainedMs } = await playOutage(system, behind, links);
  await expectSound(system, behind);

  const p = (chosen: readonly Sample<Write>[]) => latenciesOf(chosen.map(({ ms }) => ms));
  const outage = p(during);
  const baseline = p([...before, ...after]);
  const refused = samples.flatMap(({ answer, error }) =>
    (answer?.status ?? 500) >= 300 ? [answer?.status ?? error] : [],
  );
  const lost = owedBy(samples).filter((id) => !links.endedAt.has(id)).length;
  const counts = { writes: samples.length, inOutage: during.length, refused: refused.length, lost, backlog, drainedMs };
  const latencies = { outage, baseline, before: p(before), after: p(after) };
  writeReport({ what: "nats-outage", promise: 3, perSecond: PER_SECOND, ...counts, ...latencies });

  expect(refused).toEqual([]);
  expect(during.length).toBeGreaterThanOrEqual(PER_SECOND * OUTAGE_S * 0.99);
  expect(backlog).toBeGreaterThanOrEqual(during.length * 0.9);
  expect(outage.p99).toBeLessThanOrEqual(2 * baseline.p99);
  expect(drainedMs).toBeLessThanOrEqual(DRAIN_S * 1000);
  expect(lost).toBe(0);
}
