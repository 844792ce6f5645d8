import { latenciesOf, runFigures, type Sample, startLoad, waitFor, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { type Answer, everybody } from "../rest.ts";
import { expectSound } from "./expect-sound.ts";
import { seedLinkedRecords } from "./linked-records.ts";
import { type Behind, lookBehind } from "./look-behind.ts";
import { type System, startSystem } from "./start-system.ts";
import { watchEndedLinks } from "./watch-ended-links.ts";

const PER_SECOND = 100;
const OUTAGE_S = runFigures({ ci: 60, long: 600 });
/** Before the outage, and again after it. */
const BASELINE_S = runFigures({ ci: 10, long: 30 });
const WARM_UP_S = 4;
const DRAIN_S = 15;
/** What a load of all phases needs, and some more. */
const WRITES = PER_SECOND * (WARM_UP_S + OUTAGE_S + 2 * BASELINE_S + 2 * DRAIN_S + 10);

/** A write and whose link it owes the end of, in the workspace service. */
interface Write {
  readonly status: number;
  readonly owed?: string;
}

/** Deletions, assignments and removals, each of records of its own; every write appends an event. */
async function createWriter(system: System, behind: Behind): Promise<(index: number) => Promise<Write>> {
  const { demo } = system;
  const { orgAdmin } = everybody(demo);
  const { workspaceId, environments, teams } = await seedLinkedRecords(system, behind, {
    environments: WRITES * 0.8,
    teams: WRITES * 0.2,
  });
  const other = await orgAdmin.post("/workspaces", { organizationId: demo.organizations[0]?.id, name: "Other" });
  const link = (workspace: string, id: string) => "/workspaces/" + workspace + "/environments/" + id;
  const owing = async (id: string, deleting: Promise<Answer>) => ({ status: (await deleting).status, owed: id });
  return async (index) => {
    const turn = index % 10;
    const round = Math.floor(index / 10);
    const team = teams[round * 2 + turn] ?? "";
    const environment = environments[round * 8 + turn - 2] ?? "";
    if (turn < 2) return owing(team, orgAdmin.delete("/identity/teams/" + team));
    if (turn < 4) return owing(environment, orgAdmin.delete("/environments/" + environment));
    if (turn < 6) return await orgAdmin.post("/environments/" + environment + "/connections/" + demo.connections[0]);
    if (turn < 8) return await orgAdmin.post(link(other.body.id, environment));
    return await orgAdmin.delete(link(workspaceId, environment));
  };
}

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

describe("NATS down for 60 s at 100 writes/s", () => {
  test(
    "no write fails or is slower than twice its usual p99, and the backlog is drained within 15 s",
    async () => {
      await using resources = new AsyncDisposableStack();
      const system = await startSystem();
      resources.defer(() => system.stop());
      const behind = lookBehind(system);
      resources.defer(() => behind.close());
      const write = await createWriter(system, behind);
      const links = await watchEndedLinks(system);
      resources.defer(() => links.close());
      const load = startLoad(PER_SECOND, write);
      resources.defer(async () => void (await load.stop()));
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
      const settled = async () =>
        owed.every((id) => links.endedAt.has(id)) && (await unpublished(behind, cutoff)) === 0;
      await waitFor(async () => (await settled()) || undefined, { deadlineMs: 2 * DRAIN_S * 1000 });
      const drainedMs = Math.round(load.now() - back);
      // 4. As usual again.
      const usualAgainFrom = load.now();
      await until(usualAgainFrom + BASELINE_S * 1000);
      const samples = await load.stop();
      await expectSound(system, behind);

      const between = (from: number, to: number) => samples.filter(({ at }) => at >= from && at < to);
      const msOf = (chosen: readonly Sample<Write>[]) => chosen.map(({ ms }) => ms);
      const before = between(usualFrom, downFrom);
      const after = between(usualAgainFrom, Number.POSITIVE_INFINITY);
      const during = between(downFrom, downTo);
      const baseline = latenciesOf(msOf([...before, ...after]));
      const outage = latenciesOf(msOf(during));
      const refused = samples.filter(({ answer }) => (answer?.status ?? 500) >= 300);
      const lost = owedBy(samples).filter((id) => !links.endedAt.has(id)).length;
      const figures = {
        writes: samples.length,
        inOutage: during.length,
        refused: refused.length,
        lost,
        backlog,
        drainedMs,
      };
      const apart = { before: latenciesOf(msOf(before)), after: latenciesOf(msOf(after)) };
      writeReport({ what: "nats-outage", promise: 3, perSecond: PER_SECOND, ...figures, outage, baseline, ...apart });

      expect(refused).toEqual([]);
      expect(during.length).toBeGreaterThanOrEqual(PER_SECOND * OUTAGE_S * 0.99);
      expect(backlog).toBeGreaterThanOrEqual(during.length * 0.9);
      expect(outage.p99).toBeLessThanOrEqual(2 * baseline.p99);
      expect(drainedMs).toBeLessThanOrEqual(DRAIN_S * 1000);
      expect(lost).toBe(0);
    },
    runFigures({ ci: 180_000, long: 1_200_000 }),
  );
});
