import { waitFor } from "@cloud/testkit";
import { killOnSchedule, type Victim } from "@cloud/testkit/faults";
import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import type { Protection } from "./controls.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";
import { changeWorkspaces } from "./watch/change-workspaces.ts";
import { type PersistentWatch, watchByRest, watchByRpc } from "./watch/persistent-watch.ts";
import { writeEvents } from "./watch/write-events.ts";

const figures = runFigures({
  ci: { events: 10_000, killsOfEach: 25, cuts: 36, writers: 8, deadlineMs: 300_000 },
  long: { events: 100_000, killsOfEach: 250, cuts: 360, writers: 8, deadlineMs: 2_400_000 },
});
const WORKSPACES = 4;

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly organizationId: string;
  readonly workspaceIds: readonly [string, ...string[]];
  stop(): Promise<void>;
}

async function startStage(remove: readonly Protection[]): Promise<Stage> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ replicas: 2, gateways: 2, remove });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const organizationId = system.demo.organizations[0]?.id ?? "";
  const { orgAdmin } = restClients(system.demo);
  const created = Array.from({ length: WORKSPACES }, async (_, n) => {
    const { body } = await orgAdmin.post("/workspaces", { organizationId, name: `Watched ${n}` });
    return String(body.id);
  });
  const workspaceIds = (await Promise.all(created)) as [string, ...string[]];
  const running = resources.move();
  return { system, databases, organizationId, workspaceIds, stop: () => running.disposeAsync() };
}

/** Two watches of each workspace, by REST and by RPC. */
async function startWatches({ system, workspaceIds }: Stage): Promise<ReadonlyMap<PersistentWatch, string>> {
  const { gateway, services, users } = system.demo;
  const { token } = users.user;
  const watches = new Map<PersistentWatch, string>();
  for (const workspaceId of workspaceIds) {
    watches.set(watchByRest({ url: gateway, token, workspaceId }), workspaceId);
    watches.set(watchByRpc({ url: services.workspace, token, workspaceId }), workspaceId);
  }
  await Promise.all([...watches.keys()].map(({ begun }) => begun));
  return watches;
}

interface Disturbed {
  /** How often programs were killed. */
  readonly kills: number;
  readonly cuts: number;
}

/** Kills replicas of the service and gateways, at times one of each at once, and cuts the connections to both. */
async function disturb({ system }: Stage): Promise<Disturbed> {
  const cut = (name: string, proxy: { cut(): void; heal(): void }): Victim => ({
    name,
    kill: async () => proxy.cut(),
    start: async () => proxy.heal(),
  });
  const connections = [
    cut("service", system.proxies.peers.workspace),
    cut("gateways", system.proxies.gateway),
  ] as const;
  const kill = async (victims: readonly [Victim, ...Victim[]], kills: number, deadMs: readonly [number, number]) => {
    const random = createRandom(runSeed() + kills + victims.length);
    const killed = await killOnSchedule({ victims, kills, pauseMs: [200, 1_000], deadMs, random });
    return Object.values(killed).reduce((sum, count) => sum + count, 0);
  };
  const [ofService, ofGateways, cuts] = await Promise.all([
    kill(system.services.workspace, figures.killsOfEach, [0, 500]),
    kill(system.gateways, figures.killsOfEach, [0, 500]),
    kill(connections, figures.cuts, [0, 100]),
  ]);
  return { kills: ofService + ofGateways, cuts };
}

/** The events of a workspace in the order of the log's positions. */
async function logged({ of }: SystemDatabases, workspaceId: string): Promise<string[]> {
  const rows = await of.workspace<{ id: string }>(
    `select id from workspace.activity_events where workspace_id = $1 order by activity_events.xact, activity_events.id`,
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}

interface Found {
  readonly events: number;
  readonly reconnects: number;
  readonly missed: number;
  readonly twice: number;
  readonly inAnotherOrder: number;
}

/** Compares what each watch has received with what the log has behind the position that it began at. */
async function compare({ databases }: Stage, watches: ReadonlyMap<PersistentWatch, string>): Promise<Found> {
  const found = { events: 0, reconnects: 0, missed: 0, twice: 0, inAnotherOrder: 0 };
  for (const [watch, workspaceId] of watches) {
    const all = await logged(databases, workspaceId);
    const expected = all.slice(all.indexOf(await watch.begun) + 1);
    const received = new Set(watch.ids);
    found.events += expected.length;
    found.reconnects += watch.reconnects();
    found.missed += expected.filter((id) => !received.has(id)).length;
    found.twice += watch.ids.length - received.size;
    const present = expected.filter((id) => received.has(id));
    found.inAnotherOrder += [...received].filter((id, at) => id !== present[at]).length;
  }
  return found;
}

/** Resolves once every watch has received the last event of its workspace, at the latest after `deadlineMs`. */
async function settled({ databases }: Stage, watches: ReadonlyMap<PersistentWatch, string>, deadlineMs: number) {
  const isDone = async () => {
    for (const [watch, workspaceId] of watches) {
      if (watch.ids.at(-1) !== (await logged(databases, workspaceId)).at(-1)) return undefined;
    }
    return true;
  };
  await waitFor(isDone, { deadlineMs }).catch(() => undefined);
}

async function play(stage: Stage, events: number, disturbing: () => Promise<Disturbed>) {
  const { system, organizationId, workspaceIds } = stage;
  const watches = await startWatches(stage);
  const random = createRandom(runSeed());
  const databaseUrl = system.superuserUrls.workspace;
  const { writers } = figures;
  const disturbed = new AbortController();
  const until = disturbed.signal;
  const [{ kills, cuts }, , changes] = await Promise.all([
    disturbing().finally(() => disturbed.abort()),
    writeEvents({ databaseUrl, workspaceIds, organizationId, events, until, writers, random }),
    changeWorkspaces(system.demo, workspaceIds, until),
  ]);
  await settled(stage, watches, 20_000);
  for (const watch of watches.keys()) await watch.stop();
  return { kills, cuts, changes, watches: watches.size, ...(await compare(stage, watches)) };
}

test(
  "watches miss no event and have none twice, under late commits and kills",
  async () => {
    await using resources = new AsyncDisposableStack();
    const stage = await startStage([]);
    resources.defer(() => stage.stop());
    const report = await play(stage, figures.events, () => disturb(stage));
    writeReport({ what: "chaos-watch", promise: 31, ...report });
    expect(report).toMatchObject({ missed: 0, twice: 0, inAnotherOrder: 0 });
    expect(report.kills).toBeGreaterThanOrEqual(50);
    expect(report.changes).toBeGreaterThan(50);
    expect(report.reconnects).toBeGreaterThan(50);
    expect(report.events).toBeGreaterThanOrEqual(figures.events);
    await expectSound(stage.system, stage.databases);
  },
  figures.deadlineMs,
);

test(
  "control: read as soon as it is visible, events of late commits are missed",
  async () => {
    await using resources = new AsyncDisposableStack();
    const stage = await startStage(["finalLines"]);
    resources.defer(() => stage.stop());
    const report = await play(stage, figures.events / 5, async () => ({ kills: 0, cuts: 0 }));
    writeReport({ what: "chaos-watch-control", promise: 31, ...report });
    expect(report.missed).toBeGreaterThan(0);
  },
  figures.deadlineMs,
);
