import { readdirSync } from "node:fs";
import { waitFor } from "@cloud/testkit";
import { runFigures, startLoad, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { createPlayer, playCase } from "../cases/runner/index.ts";
import { restClients } from "../e2e/rest.ts";
import { migrateTogether } from "./next-release/migrate-together.ts";
import { createNextRelease, runMigrationJob } from "./next-release/start-next-release.ts";
import { planCases } from "./sql-faults/play-under-faults.ts";
import { expectSound } from "./system/expect-sound.ts";
import { mapAtOnce } from "./system/map-at-once.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

const PROCESSES = 20;
/**
 * Rows of the table that the next release changes, and rounds of four requests a second meanwhile. Other rounds warm up
 * the programs before: programs that have just started serve less, and refuse what they cannot.
 */
const {
  rows: ROWS,
  perSecond: PER_SECOND,
  warmUp: WARM_UP,
} = runFigures({
  ci: { rows: 20_000, perSecond: 10, warmUp: 20 },
  long: { rows: 1_000_000, perSecond: 50, warmUp: 1_000 },
});
const MIGRATIONS = [
  ...filesOf("packages/events").map((file) => `messaging/${file}`),
  ...filesOf("packages/service").map((file) => `service/${file}`),
  ...filesOf("services/workspace").map((file) => `workspace/${file}`),
];

function filesOf(owner: string): string[] {
  const folder = new URL(`../../${owner}/migrations`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
}

describe("13: 20 processes migrate at once: one wins, none fails", () => {
  test("each migration is applied once, all by the same process", async () => {
    const { exitCodes, applied, recorded } = await migrateTogether(PROCESSES);
    const winners = applied.filter((count) => count > 0);
    writeReport({
      what: "migrations",
      promise: 13,
      processes: PROCESSES,
      failed: exitCodes.filter(Boolean).length,
      winners,
    });
    expect(exitCodes).toEqual(Array(PROCESSES).fill(0));
    expect(winners).toEqual([MIGRATIONS.length]);
    expect(recorded).toEqual(MIGRATIONS);
  }, 90_000);

  test("control: without the lock some fail", async () => {
    const processes = 8;
    const { exitCodes } = await migrateTogether(processes, ["migrationLock"]);
    const failed = exitCodes.filter(Boolean).length;
    writeReport({ what: "migrations-control", promise: 13, processes, failed });
    expect(failed).toBeGreaterThan(0);
  }, 90_000);
});

describe("13: an old binary on the new schema and back, in the order of the manifests: both serve", () => {
  test("a Job migrates, the next release is rolled out and back under load; no request fails, and both pass every case", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({ proxied: ["peers"] });
    resources.defer(() => system.stop());
    const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
    const [present] = system.services.workspace;
    const sendTo = ({ port }: { port: number }) =>
      system.proxies.peers.workspace.setTargets([{ host: "127.0.0.1", port }]);

    await databases.query(insertRows, [system.demo.organizations[0]?.id, ROWS]);
    await databases.query("vacuum (analyze) workspace.workspaces");
    const playRound = createRound(system);
    const warmUp = await mapAtOnce(4, [...Array(WARM_UP).keys()], playRound);
    expect(warmUp.filter((wrong) => wrong !== undefined)).toEqual([]);

    // 1. A pod of the next release that is ahead of its Job exits; the Job migrates while the present release serves.
    const load = startLoad(PER_SECOND, playRound);
    resources.defer(async () => void (await load.stop()));
    const next = await createNextRelease(system);
    resources.defer(() => next.close());
    await expect(next.start()).rejects.toThrow("it lacks workspace/0900_next_release.sql");
    const before = load.samples().length;
    const exitCodes: (number | null)[] = [await runMigrationJob(system)];
    const during = load.samples().length - before;
    // 2. The pod is started again; then both serve.
    await next.start();
    const played = [await playWorkspaceCases(system, present.url), await playWorkspaceCases(system, next.url)];
    // 3. The next one alone.
    sendTo(next);
    exitCodes.push(await present.stop());
    await twentyMore(load.samples);
    // 4. Back: the present one restarts on the schema of the next, which no pod changes.
    present.setEnvironment({ MIGRATE: "off" });
    await present.start();
    played.push(await playWorkspaceCases(system, present.url));
    sendTo(present);
    exitCodes.push(await next.stop());
    await twentyMore(load.samples);

    const samples = await load.stop();
    const failures = samples.flatMap(({ result, error }) => (error === undefined ? (result ?? []) : String(error)));
    writeReport({
      what: "migrations-roll",
      promise: 13,
      rows: ROWS,
      requests: 4 * samples.length,
      duringMigration: 4 * during,
      failed: failures.length,
      played,
    });
    expect(failures).toEqual([]);
    expect(during).toBeGreaterThan(0);
    expect(exitCodes).toEqual([0, 0, 0]);
    expect(next.crashes()).toBe(0);
    const rows = await databases.query<{ recorded: string }>(
      "select source || '/' || name as recorded from workspace.schema_migrations order by applied_at",
    );
    expect(rows.map(({ recorded }) => recorded)).toEqual([
      ...MIGRATIONS,
      "workspace/0900_next_release.sql",
      "workspace/0901_next_index.sql",
    ]);
    await expectSound(system, databases);
  }, 600_000);
});

const insertRows = `
  insert into workspace.workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1::uuid, 'Row ' || n, 'One of many', ''
  from generate_series(1, $2::integer) n`;

/** Creates what reads from and writes to the workspace service through the gateway; its answer describes what was wrong. */
function createRound({ demo }: System): (index: number) => Promise<string | undefined> {
  const { orgAdmin } = restClients(demo);
  const organizationId = demo.organizations[0]?.id;
  return async (index) => {
    const created = await orgAdmin.post("/workspaces", { organizationId, name: "Load " + index });
    const team = `/workspaces/${created.body?.id}/teams/${demo.teams.first[0]}`;
    const replies = [
      { ...created, expected: 201 },
      { ...(await orgAdmin.post(team)), expected: 200 },
      { ...(await orgAdmin.get(`/workspaces/${created.body?.id}/teams`)), expected: 200 },
      { ...(await orgAdmin.delete(team)), expected: 204 },
    ];
    const wrong = replies.findIndex((reply) => reply.status !== reply.expected);
    return wrong === -1 ? undefined : `request ${wrong + 1}: ${JSON.stringify(replies[wrong])}`;
  };
}

/** Waits until the load has completed 20 more rounds. */
async function twentyMore(samples: () => readonly unknown[]): Promise<void> {
  const enough = samples().length + 20;
  await waitFor(() => (samples().length >= enough ? true : undefined), { deadlineMs: 20_000 });
}

const FILES = ["create-workspace", "assign-team"];

/** Plays cases by RPC against that workspace service. Returns the number that passed; throws on failures. */
async function playWorkspaceCases({ demo }: System, url: string): Promise<number> {
  const player = await createPlayer({ demo, ...demo, services: { ...demo.services, workspace: url } });
  const plan = planCases("rpc").filter(({ file }) => FILES.includes(file.file.replace(".yaml", "")));
  await mapAtOnce(4, plan, ({ file, played, surface }) => playCase(player, file, played, surface));
  return plan.length;
}
