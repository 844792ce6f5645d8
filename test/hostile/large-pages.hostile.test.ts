import { type RemovedProtection, waitFor } from "@cloud/testkit";
import {
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  latenciesOf,
  measureUntil,
  startLoad,
  writeReport,
} from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { startSystem } from "../chaos/system/start-system.ts";
import { openDatabases } from "../chaos/system/system-databases.ts";
import { hostileControls } from "./controls.ts";
import { insertLargeRecords, PAGES } from "./large-pages/insert-large-records.ts";
import { startRequesting } from "./large-pages/start-requesting.ts";
import { createWireClient } from "./wire/send-http.ts";
import { watchMemory } from "./wire/watch-memory.ts";

/** The highest ratio of the others' median to the median before, and the memory of a pod. */
const MOST = { ratio: 2, memoryMiB: 512 };
const PER_SECOND = 60;
const WINDOW_MS = 10_000;
/** Programs that have just started compile their code. */
const WARM_UP_MS = 5_000;

/** Measures what the other organization notices of a user who requests 320 pages of 6 MB at once. */
async function measureLargePages(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const { gateway, demo } = system;
  const [large, other] = demo.organizations.map(({ id }) => id) as [string, string];
  const databases = openDatabases(system);
  await insertLargeRecords(databases, large);
  const [neighbours] = await databases.of.workspace<{ id: string }>(
    "select id from workspace.workspaces where organization_id = $1",
    [other],
  );
  await databases.close();

  const client = createWireClient(gateway.url, { connections: 64, deadlineMs: 10_000 });
  resources.defer(async () => client.close());
  const path = `/api/workspaces/${neighbours?.id}`;
  const headers = [["authorization", `Bearer ${demo.users.outsider.token}`]] as const;
  const measureFor = async (ms: number) => {
    const load = startLoad(PER_SECOND, async () => (await client.send({ method: "GET", path, headers })).status);
    await waitFor(() => load.now() >= ms || undefined, { deadlineMs: 2 * ms });
    const samples = await load.stop();
    const failed = samples.filter(({ result }) => result !== 200).length;
    return { failed, ...latenciesOf(samples.map((sample) => sample.ms)) };
  };

  await measureFor(WARM_UP_MS);
  const alone = await measureFor(WINDOW_MS);
  const memory = watchMemory(system.programs);
  const list = `/api/workspaces?orgId=${large}&pageSize=100`;
  const paths = Array.from({ length: PAGES }, (_, page) => `${list}&page=${page}`);
  const requesting = await startRequesting({ port: gateway.port, token: demo.users.user.token, paths });
  const besides = await measureFor(WINDOW_MS);
  const statuses = await requesting.stop();
  const memoryMiB = Math.max(...Object.values(memory.stop()).map(({ peak }) => peak));
  const ratio = Math.round((besides.p50 / alone.p50) * 100) / 100;
  const [p50, p99] = [
    { alone: alone.p50, besides: besides.p50 },
    { alone: alone.p99, besides: besides.p99 },
  ] as const;
  return { p50, p99, ratio, failed: alone.failed + besides.failed, memoryMiB, statuses };
}

type LargePages = Awaited<ReturnType<typeof measureLargePages>>;

test("a user who requests 320 pages of 6 MB at once is refused most of them, and others are served", async () => {
  const median = ({ p50, factor }: Pick<LargePages, "p50"> & { factor: number }) => {
    const limitMs = MOST.ratio * p50.alone;
    return byControl({ what: "large-pages: others, median", measuredMs: p50.besides, limitMs, factor });
  };
  const figures = await measureUntil(
    (one) => isInTime(median(one)),
    async () => {
      const measured = await calibrated(() => measureLargePages());
      expect(Object.keys(measured.statuses).toSorted()).toEqual(["200", "503"]);
      expect(measured.failed).toBe(0);
      expect(measured.memoryMiB).toBeLessThanOrEqual(MOST.memoryMiB);
      return measured;
    },
  );
  writeReport({ what: "hostile-large-pages", promise: 15, ...figures });
  judgeTime(median(figures));
}, 300_000);

test("control: where large pages are like all others, and a caller may have all places, requests of others fail", async () => {
  const figures = await measureLargePages(hostileControls.largePages);
  writeReport({ what: "hostile-large-pages-control", promise: 15, ...figures });
  expect(figures.ratio).toBeGreaterThan(MOST.ratio);
  expect(figures.failed).toBeGreaterThan(0);
}, 300_000);
