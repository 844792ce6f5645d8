import { type LogLine, waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import type { Protection } from "./controls.ts";
import { EXPECTED_TRACES, tracesOf } from "./reconciler/reconciler-traces.ts";
import { DANGLING, seedDangling } from "./reconciler/seed-dangling.ts";
import { readMetric } from "./system/read-metric.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, REPAIRED, repairs, type SystemDatabases } from "./system/system-databases.ts";

const env = { RECONCILER_INTERVAL_MS: "500", RECONCILER_GRACE_MS: "1000" };
const DEADLINE = { deadlineMs: 60_000 };
const KINDS = Object.keys(DANGLING);
const SEEDED = Object.values(DANGLING).reduce((sum, count) => sum + count, 0);

describe("15: the reconciler repairs 1,000 dangling links in one pass, and nothing in any other", () => {
  const resources = new AsyncDisposableStack();
  let [system, databases] = [] as unknown as [System, SystemDatabases];
  beforeAll(async () => {
    ({ system, databases } = await open(resources));
  }, 60_000);
  afterAll(() => resources.disposeAsync());

  test("references to deleted records are deleted as their events would have; live ones stay", async () => {
    // Given live links of every kind and a live selection,
    await makeLiveLinks(system);
    const live = await linksAndSelections(databases);
    const began = performance.now();
    await seedDangling(system, databases);
    expect(await linksAndSelections(databases)).toHaveLength(live.length + 900);

    // when each kind was passed once,
    await waitFor(() => (repairs(system) >= SEEDED ? true : undefined), DEADLINE);
    const ms = Math.round(performance.now() - began);
    // then one line reports each kind's,
    expect(reportedBy(system)).toEqual(DANGLING);
    expect(await linksAndSelections(databases)).toEqual(live);
    await databases.drained(DEADLINE.deadlineMs);
    expect(await tracesOf(databases)).toEqual(EXPECTED_TRACES);
    expect(await databases.dangling()).toEqual({});
    // and two more passes (the first may have begun before) find nothing.
    await morePasses(system, KINDS, 2);
    expect(repairs(system)).toBe(SEEDED);
    expect(system.programs.map((program) => program.crashes())).toEqual(system.programs.map(() => 0));
    writeReport({
      what: "reconciler",
      promise: 15,
      seeded: SEEDED,
      repaired: reportedBy(system),
      ms,
      secondPass: repairs(system) - SEEDED,
    });
  }, 120_000);

  const deleteDuringOutage = async (
    system: System,
    databases: SystemDatabases,
    elapsed: (before: number) => Promise<unknown>,
  ) => {
    // Given a deletion whose event cannot travel,
    const before = repairs(system);
    const environmentId = await makeLiveLinks(system);
    await databases.drained(DEADLINE.deadlineMs);
    await system.nats.kill();
    const { status } = await restClients(system.demo).orgAdmin.delete(`/environments/${environmentId}`);
    expect(status).toBe(204);
    // when the grace period has elapsed,
    await elapsed(before);
    const duringOutage = repairs(system) - before;
    // and NATS comes back.
    await system.nats.start();
    await databases.drained(DEADLINE.deadlineMs);
    expect(await databases.dangling()).toEqual({});
    return { duringOutage, repairs: repairs(system) - before };
  };

  test("an event that cannot travel is not missing: nothing is repaired while NATS is down", async () => {
    // Several times: the passes over parked deletions need no NATS, and each begins half a second after the one before.
    const seen = await deleteDuringOutage(system, databases, () => morePasses(system, ["parked-deletions"], 12));
    writeReport({ what: "reconciler-outage", promise: 15, ...seen });
    expect(seen).toEqual({ duringOutage: 0, repairs: 0 });
  }, 120_000);

  test("control: without the wait for NATS, the outage counts as a loss", async () => {
    await using unprotected = new AsyncDisposableStack();
    const without = await open(unprotected, ["connectedGrace"]);
    const repaired = (before: number) => waitFor(() => repairs(without.system) > before || undefined, DEADLINE);
    const seen = await deleteDuringOutage(without.system, without.databases, repaired);
    writeReport({ what: "reconciler-outage-control", promise: 15, ...seen });
    expect(seen.duringOutage).toBe(1);
  }, 120_000);
});

async function open(resources: AsyncDisposableStack, remove: readonly Protection[] = []) {
  const system = await startSystem({ env, remove });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  return { system, databases };
}

/** Creates a workspace with a link of each kind, selected by a user. Returns the environment's id. */
async function makeLiveLinks({ demo }: System): Promise<string> {
  const { orgAdmin } = restClients(demo);
  const made = async (path: string, body: object) => {
    const response = await orgAdmin.post(path, body);
    expect([path, response.status]).toEqual([path, 201]);
    return String(response.body.id);
  };
  const organizationId = demo.organizations[0]?.id;
  const workspace = await made("/workspaces", { organizationId, name: "Live" });
  const environment = await made("/environments", { organizationId, name: "Live" });
  const resources = [
    `teams/${demo.teams.first[0]}`,
    `environments/${environment}`,
    `designs/${demo.designs[0]}`,
    `views/${demo.views[0]}`,
  ];
  for (const resource of resources) await orgAdmin.post(`/workspaces/${workspace}/${resource}`);
  const preferences = { selectedOrganization: organizationId, selectedWorkspace: workspace };
  const { status } = await orgAdmin.put("/identity/users/preferences", preferences);
  expect(status).toBe(200);
  return environment;
}

/** Returns every link of a workspace and every selection of one, as text. */
async function linksAndSelections({ query }: SystemDatabases): Promise<string[]> {
  const rows = await query<{ row: string }>(
    "select a::text as row from workspace.assignments a union all" +
      " select p::text from identity.preferences p where selected_workspace is not null order by row",
  );
  return rows.map(({ row }) => row);
}

/** Returns what each kind's reconciler reported; a kind that reported twice (two passes) becomes a list. */
function reportedBy(system: System): Record<string, unknown> {
  const lines = system.programs.flatMap((program) => program.log()).filter(isRepair);
  const kinds = lines.map((line) => String(line["kind"]));
  expect(new Set(kinds).size).toBe(kinds.length);
  return Object.fromEntries(lines.map((line) => [String(line["kind"]), line["repaired"]]));
}

const isRepair = ({ msg }: LogLine) => msg === REPAIRED;

/** Waits until so many more passes over each of the kinds have reached their end. */
async function morePasses(system: System, kinds: readonly string[], count: number): Promise<void> {
  const passesOf = (kind: string) =>
    Promise.all(
      Object.values(system.services).map(([program]) => readMetric(program, "reconciler_passes_total", { kind })),
    ).then((passes) => Math.max(...passes));
  const before = await Promise.all(kinds.map(passesOf));
  const enough = async () => {
    const now = await Promise.all(kinds.map(passesOf));
    return now.every((passes, index) => passes >= (before[index] ?? 0) + count) ? true : undefined;
  };
  await waitFor(enough, DEADLINE);
}
