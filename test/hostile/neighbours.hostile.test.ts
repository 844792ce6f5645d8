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
import { fillOrganization, requestsOf } from "./neighbours/large-organization.ts";
import { type SearchedList, startSearching } from "./neighbours/start-searching.ts";
import { startSink } from "./overload/run-client.ts";
import { createWireClient } from "./wire/send-http.ts";

/** The highest ratio of the neighbour's p99 while clients search to its p99 while a sink refuses the same clients. */
const MAX_RATIO = 2;
const PER_SECOND = 60;
/** The length of a window. With 60 requests a second, the six slowest requests decide the 99th percentile. */
const WINDOW_MS = 10_000;
/** Programs that have just started compile their code. */
const WARM_UP_MS = 5_000;

/** Starts the system with one large organization, and measures what a neighbour notices of those who search it. */
async function startNeighbours(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const sink = await startSink();
  resources.defer(() => sink.stop());
  const { gateway, demo } = system;
  const [large, other] = demo.organizations.map(({ id }) => id) as [string, string];
  const databases = openDatabases(system);
  await fillOrganization(databases, large);
  const [neighbours] = await databases.of.workspace<{ id: string }>(
    "select id from workspace.workspaces where organization_id = $1",
    [other],
  );
  await databases.close();

  const client = createWireClient(gateway.url, { connections: 64, deadlineMs: 10_000 });
  resources.defer(async () => client.close());
  const path = `/api/workspaces/${neighbours?.id}`;
  const headers = [["authorization", `Bearer ${demo.users.outsider.token}`]] as const;
  /** Reads a workspace of the other organization again and again. */
  const measureFor = async (ms: number) => {
    const load = startLoad(PER_SECOND, async () => (await client.send({ method: "GET", path, headers })).status);
    await waitFor(() => load.now() >= ms || undefined, { deadlineMs: 2 * ms });
    const samples = await load.stop();
    const failed = samples.filter(({ result }) => result !== 200).length;
    return { failed, ...latenciesOf(samples.map((sample) => sample.ms)) };
  };
  const besides = async (list: SearchedList) => {
    const searching = await startSearching(list);
    const neighbour = await measureFor(WINDOW_MS);
    return { neighbour, statuses: await searching.stop() };
  };
  const list = { url: gateway.url, token: demo.users.user.token, paths: requestsOf(large) };
  const measure = async () => {
    const control = await besides({ ...list, url: sink.url });
    const { neighbour, statuses } = await besides(list);
    const ratio = Math.round((neighbour.p99 / control.neighbour.p99) * 100) / 100;
    const [p50, p99] = [
      { control: control.neighbour.p50, searched: neighbour.p50 },
      { control: control.neighbour.p99, searched: neighbour.p99 },
    ] as const;
    return { p50, p99, ratio, failed: control.neighbour.failed + neighbour.failed, statuses };
  };
  await measureFor(WARM_UP_MS);
  const running = resources.move();
  return { measure, stop: () => running.disposeAsync() };
}

test("16 clients that search and page a large organization are refused before a neighbour notices", async () => {
  await using resources = new AsyncDisposableStack();
  const neighbours = await startNeighbours();
  resources.defer(() => neighbours.stop());
  type Figures = Awaited<ReturnType<typeof neighbours.measure>> & { readonly factor: number };
  const latency = ({ p99, factor }: Figures) => {
    const limitMs = MAX_RATIO * p99.control;
    return byControl({ what: "neighbours: the neighbour, p99", measuredMs: p99.searched, limitMs, factor });
  };
  const figures = await measureUntil(
    (one: Figures) => isInTime(latency(one)),
    async () => {
      const measured = await calibrated(() => neighbours.measure());
      expect(Object.keys(measured.statuses).toSorted()).toEqual(["200", "503 with Retry-After"]);
      expect(measured.failed).toBe(0);
      return measured;
    },
  );
  writeReport({ what: "hostile-neighbours", promise: 14, ...figures });
  judgeTime(latency(figures));
}, 300_000);

test("control: without the share, they have all connections to Postgres, and the neighbour waits", async () => {
  await using resources = new AsyncDisposableStack();
  const neighbours = await startNeighbours(hostileControls.heavyShare);
  resources.defer(() => neighbours.stop());
  const figures = await neighbours.measure();
  writeReport({ what: "hostile-neighbours-control", promise: 14, ...figures });
  expect(figures.ratio).toBeGreaterThan(MAX_RATIO);
}, 300_000);
