import { waitFor } from "@cloud/testkit";
import { calibrated, judgeTime, latenciesOf, runFigures, startLoad, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import type { Protection } from "./controls.ts";
import { type LinkedRecords, seedLinkedRecords } from "./linked-records/linked-records.ts";
import { type EndedLinks, watchEndedLinks } from "./linked-records/watch-ended-links.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const PER_SECOND = 60;
const DEADLINE_MS = 30_000;

/** The state of the consumers when the store is wiped: a wipe can lose what was published and not applied. */
const CONSUMERS = ["dead", "running", "frozen"] as const;
type Consumers = (typeof CONSUMERS)[number];

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly links: EndedLinks;
  readonly records: LinkedRecords;
  /** The resources that are released before the system is stopped. */
  readonly resources: AsyncDisposableStack;
}

async function withStage(remove: readonly Protection[], run: (stage: Stage) => Promise<void>): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ remove });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const count = runFigures({ ci: 2500, long: 10_000 });
  const records = await seedLinkedRecords(system, databases, { environments: count, teams: count });
  const links = await watchEndedLinks(system);
  resources.defer(() => links.close());
  await run({ system, databases, links, records, resources });
}

/** Deletes linked environments and teams in turn, over REST, until the stage is released. */
function startDeletions({ system, records: { environments, teams }, resources }: Stage) {
  const { orgAdmin } = restClients(system.demo);
  const load = startLoad(PER_SECOND, async (index) => {
    const half = Math.floor(index / 2);
    const [id = "", path] =
      index % 2 === 0 ? [environments[half], "/environments/"] : [teams[half], "/identity/teams/"];
    const { status } = await orgAdmin.delete(path + id);
    return { id, status, respondedAt: performance.now() };
  });
  resources.defer(async () => void (await load.stop()));
  const confirmed = () => load.samples().flatMap(({ result }) => (result?.status === 204 ? [result.id] : []));
  return { ...load, confirmed };
}

/** Events that the stream has and the workspace service has not applied. */
async function unapplied({ query }: SystemDatabases): Promise<number> {
  const [row] = await query<{ count: string }>(
    "select count(*) from (" +
      " select id, subject, published_at from environment.outbox" +
      " union all select id, subject, published_at from identity.outbox) event" +
      " where published_at is not null" +
      " and subject in ('cloud.v1.environment.environment.deleted', 'cloud.v1.identity.team.deleted')" +
      " and not exists (select from workspace.inbox where event_id = event.id::text)",
  );
  return Number(row?.count);
}

/** Returns how many published events were unapplied when the store was wiped, and when NATS was back. */
async function wipe(
  { system, databases }: Stage,
  consumers: Consumers,
): Promise<{ unconsumed: number; backAt: number }> {
  const [workspace] = system.services.workspace;
  if (consumers === "dead") await workspace.kill();
  if (consumers === "frozen") workspace.pause();
  if (consumers !== "running") {
    await waitFor(async () => (await unapplied(databases)) >= PER_SECOND / 2 || undefined, { deadlineMs: DEADLINE_MS });
  }
  const unconsumed = await unapplied(databases);
  await system.nats.kill();
  await system.nats.wipe();
  if (consumers === "dead") await workspace.start();
  if (consumers === "frozen") workspace.resume();
  await system.nats.start();
  return { unconsumed, backAt: performance.now() };
}

/** Returns how often the log reports the end of each link. */
async function linesOf({ query }: SystemDatabases): Promise<Map<string, number>> {
  const rows = await query<{ id: string; lines: string }>(
    "select acted_upon as id, count(*) as lines from workspace.activity_events where action = 'unassign' group by 1",
  );
  return new Map(rows.map(({ id, lines }) => [id, Number(lines)]));
}

describe("The JetStream store is wiped, consumers running: nothing is lost, links converge within 5 s", () => {
  test("five times", async () => {
    await withStage([], async (stage) => {
      const { databases, links } = stage;
      const { load, rounds, samples, factor } = await calibrated(async () => {
        const load = startDeletions(stage);
        const rounds: { consumers: Consumers; unconsumed: number; convergedMs: number }[] = [];
        for (let round = 0; round < runFigures({ ci: 5, long: 30 }); round++) {
          const enough = load.samples().length + PER_SECOND;
          await waitFor(() => load.samples().length >= enough || undefined, { deadlineMs: DEADLINE_MS });
          const consumers = CONSUMERS[round % CONSUMERS.length] ?? "running";
          const { unconsumed, backAt } = await wipe(stage, consumers);
          const owed = load.confirmed();
          await waitFor(() => owed.every((id) => links.endedAt.has(id)) || undefined, { deadlineMs: DEADLINE_MS });
          const convergedMs = Math.round(Math.max(...owed.map((id) => links.endedAt.get(id) ?? 0)) - backAt);
          rounds.push({ consumers, unconsumed, convergedMs });
        }
        return { load, rounds, samples: await load.stop() };
      });
      await expectSound(stage.system, databases);
      const lines = await linesOf(databases);
      const confirmed = load.confirmed();
      const lost = confirmed.filter((id) => !links.endedAt.has(id)).length;
      const notOnce = confirmed.filter((id) => lines.get(id) !== 1).length;
      const latencies = latenciesOf(samples.map(({ ms }) => ms));
      writeReport({ what: "wipes", promise: 4, rounds, deletions: confirmed.length, lost, notOnce, latencies, factor });

      expect(samples.map(({ result }) => result?.status)).toEqual(samples.map(() => 204));
      expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
      expect(rounds.filter(({ unconsumed }) => unconsumed > 0).length).toBeGreaterThan(rounds.length / 2);
      const slowest = Math.max(...rounds.map(({ convergedMs }) => convergedMs));
      judgeTime({ what: "wipes: links converge", measuredMs: slowest, limitMs: 5_000, factor });
    });
  }, 300_000);

  test("control: without the rewind, what was published and not consumed is lost", async () => {
    await withStage(["rewind"], async (stage) => {
      const load = startDeletions(stage);
      await waitFor(() => load.samples().length >= PER_SECOND || undefined, { deadlineMs: DEADLINE_MS });
      const { unconsumed, backAt } = await wipe(stage, "dead");
      // Records deleted now come after what was lost: once their links are deleted, nothing else is in transit.
      const later = () => load.samples().filter(({ result }) => (result?.respondedAt ?? 0) > backAt);
      await waitFor(() => later().length >= PER_SECOND || undefined, { deadlineMs: DEADLINE_MS });
      await load.stop();
      const isThrough = () => later().every(({ result }) => stage.links.endedAt.has(result?.id ?? ""));
      await waitFor(() => isThrough() || undefined, { deadlineMs: DEADLINE_MS });
      const confirmed = load.confirmed();
      const lost = confirmed.filter((id) => !stage.links.endedAt.has(id)).length;
      writeReport({ what: "wipes-control", promise: 4, unconsumed, deletions: confirmed.length, lost });
      expect(lost).toBeGreaterThanOrEqual(unconsumed);
      const { "workspace-environment": environments = 0, "workspace-team": teams = 0 } =
        await stage.databases.dangling();
      expect(environments + teams).toBeGreaterThan(0);
    });
  }, 60_000);
});
