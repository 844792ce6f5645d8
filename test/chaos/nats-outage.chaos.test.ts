import { waitFor } from "@cloud/testkit";
import {
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  latenciesOf,
  measureUntil,
  runFigures,
  type Sample,
  startLoad,
  writeReport,
} from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { prepareWrites, type Write } from "./linked-records/event-writes.ts";
import { type EndedLinks, watchEndedLinks } from "./linked-records/watch-ended-links.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

/** The seconds of load before and after the outage. */
const BASELINE_S = runFigures({ ci: 10, long: 60 });
/** Programs that have just started compile their code; the more programs, the longer it takes. */
const WARM_UP_S = 15;
const DRAIN_S = 15;
/** The duration of all phases but the outage, plus a margin. */
const OTHERS_S = WARM_UP_S + 2 * BASELINE_S + 4 * DRAIN_S + 10;

/** Eight programs at 100 writes a second use all of two slow cores, so that would measure the machine. */
const FORMS = [
  { replicas: 1, perSecond: 100, outageS: 60 },
  { replicas: 2, perSecond: runFigures({ ci: 40, long: 100 }), outageS: runFigures({ ci: 20, long: 60 }) },
] as const;
type Form = (typeof FORMS)[number];

const unpublished = async ({ query }: SystemDatabases, until: Date): Promise<number> => {
  const [row] = await query<{ sum: string }>(
    "select (select count(*) from identity.outbox where published_at is null and created_at < $1)" +
      " + (select count(*) from environment.outbox where published_at is null and created_at < $1)" +
      " + (select count(*) from workspace.outbox where published_at is null and created_at < $1) as sum",
    [until],
  );
  return Number(row?.sum);
};

const clockOf = async ({ query }: SystemDatabases): Promise<Date> => {
  const [row] = await query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date(Number.NaN);
};

const owedBy = (samples: readonly Sample<Write>[]) => samples.flatMap(({ result }) => result?.owed ?? []);

interface Outage {
  readonly samples: readonly Sample<Write>[];
  readonly before: readonly Sample<Write>[];
  readonly during: readonly Sample<Write>[];
  readonly after: readonly Sample<Write>[];
  /** Events waiting when NATS was back. */
  readonly backlog: number;
  /** The time from then until all of them were published and applied. */
  readonly drainedMs: number;
}

/** Runs the load; kills NATS in the middle of it and restarts it. */
async function playOutage(
  system: System,
  databases: SystemDatabases,
  links: EndedLinks,
  { perSecond, outageS }: Form,
): Promise<Outage> {
  const load = startLoad(perSecond, await prepareWrites(system, databases, perSecond * (OTHERS_S + outageS)));
  try {
    const until = (ms: number) => waitFor(() => load.now() >= ms || undefined, { deadlineMs: Math.ceil(ms) });
    // 1. As usual.
    await until(WARM_UP_S * 1000);
    const usualFrom = load.now();
    await until(usualFrom + BASELINE_S * 1000);
    // 2. The outage.
    const downFrom = load.now();
    await system.nats.kill();
    await until(downFrom + outageS * 1000);
    const downTo = load.now();
    const cutoff = await clockOf(databases);
    const backlog = await unpublished(databases, cutoff);
    const owed = owedBy(load.samples());
    // 3. The backlog.
    await system.nats.start();
    const back = load.now();
    const isDone = async () =>
      owed.every((id) => links.endedAt.has(id)) && (await unpublished(databases, cutoff)) === 0;
    await waitFor(async () => (await isDone()) || undefined, { deadlineMs: 4 * DRAIN_S * 1000 });
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

describe.each(FORMS)("NATS down for $outageS s, $replicas of each service, at $perSecond writes/s", (form) => {
  test(TITLE, () => runOutage(form), runFigures({ ci: 600_000, long: 2_000_000 }));
});

async function runOutage(form: Form): Promise<void> {
  const { replicas, perSecond } = form;
  const what = replicas === 1 ? "nats-outage" : "nats-outage-replicas";
  const boundsOf = ({ outage, baseline, drainedMs, factor }: Measured) => [
    byControl({ what: `${what}: writes, p99`, measuredMs: outage.p99, limitMs: 2 * baseline.p99, factor }),
    { what: `${what}: the backlog is drained`, measuredMs: drainedMs, limitMs: DRAIN_S * 1000, factor },
  ];
  const measured = await measureUntil(
    (one) => boundsOf(one).every(isInTime),
    () => calibrated(() => measureOutage(form)),
  );
  writeReport({ what, promise: 3, perSecond, replicas, ...measured });
  judgeTime(...boundsOf(measured));
}

type Measured = Awaited<ReturnType<typeof measureOutage>> & { readonly factor: number };

/** Checks what must hold in every attempt. */
async function measureOutage(form: Form) {
  const { replicas, perSecond, outageS } = form;
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ replicas });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const links = await watchEndedLinks(system);
  resources.defer(() => links.close());
  const { samples, before, during, after, backlog, drainedMs } = await playOutage(system, databases, links, form);
  await expectSound(system, databases);

  const p = (chosen: readonly Sample<Write>[]) => latenciesOf(chosen.map(({ ms }) => ms));
  const refused = samples.flatMap(({ result, error }) =>
    (result?.status ?? 500) >= 300 ? [result?.status ?? error] : [],
  );
  const lost = owedBy(samples).filter((id) => !links.endedAt.has(id)).length;
  expect(refused).toEqual([]);
  expect(during.length).toBeGreaterThanOrEqual(perSecond * outageS * 0.99);
  expect(backlog).toBeGreaterThanOrEqual(during.length * 0.9);
  expect(lost).toBe(0);
  const counts = { writes: samples.length, inOutage: during.length, refused: refused.length, lost, backlog, drainedMs };
  return { ...counts, outage: p(during), baseline: p([...before, ...after]), before: p(before), after: p(after) };
}
