import { Counter, createDurations, createTelemetry, Gauge, type Telemetry } from "@cloud/runtime/telemetry";
import { expect, test } from "@jest/globals";
import { readSample } from "./snapshot.ts";
import { type SystemSample, takeSnapshot } from "./take-snapshot.ts";

const LABELS = ["rpc_system_name", "rpc_method", "rpc_response_status_code"];

/** A gateway and a service with what the page reads of them, and nothing else. */
function programs() {
  const create = (service: string) => createTelemetry({ service, level: "silent", processMetrics: false });
  const [gateway, workspace] = [create("gateway"), create("workspace")];
  const http = createDurations({
    name: "http_server_request_duration_seconds",
    help: "x",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    registry: gateway.metrics,
  });
  const calls = createDurations({
    name: "rpc_client_call_duration_seconds",
    help: "x",
    labelNames: [...LABELS, "server_address"],
    registry: gateway.metrics,
  });
  const served = createDurations({
    name: "rpc_server_call_duration_seconds",
    help: "x",
    labelNames: LABELS,
    registry: workspace.metrics,
  });
  const gauge = (telemetry: Telemetry, name: string, labelNames: string[] = []) =>
    new Gauge({ name, help: "x", labelNames, registers: [telemetry.metrics] });
  gauge(gateway, "http_server_active_requests").set(2);
  const backlog = gauge(workspace, "messaging_outbox_backlog_rows");
  const connected = gauge(workspace, "messaging_connected");
  const login = gauge(workspace, "messaging_nats_login", ["state"]);
  const parked = gauge(workspace, "messaging_parked_messages", ["consumer", "reason"]);
  const published = new Counter({ name: "messaging_published_total", help: "x", registers: [workspace.metrics] });
  return { gateway, workspace, http, calls, served, backlog, connected, login, parked, published };
}

async function sampleAt(at: number, { gateway, workspace }: ReturnType<typeof programs>): Promise<SystemSample> {
  const of = async ({ metrics, conditions }: Telemetry) => ({
    metrics: await readSample(metrics),
    ready: true,
    conditions: conditions.list().map(({ name, message }) => `${name}: ${message}`),
  });
  return {
    at,
    programs: new Map([
      ["gateway", await of(gateway)],
      ["workspace", await of(workspace)],
    ]),
  };
}

test("rates, errors and p99 are of the time between two samples", async () => {
  const all = programs();
  all.http.labels("GET", "/a", "200").observe(9);
  const before = await sampleAt(0, all);
  for (let index = 0; index < 98; index++) all.http.labels("GET", "/a", "200").observe(0.0004);
  for (let index = 0; index < 2; index++) all.http.labels("GET", "/a", "503").observe(0.08);
  all.http.labels("GET", "/a/events:watch", "200").observe(900);
  all.calls.labels("connectrpc", "a.B/C", "OK", "workspace").observe(0.002);
  all.calls.labels("connectrpc", "a.B/C", "UNAVAILABLE", "workspace").observe(0.002);
  all.calls.labels("connectrpc", "grpc.health.v1.Health/Check", "OK", "workspace").observe(0.002);
  all.served.labels("connectrpc", "a.B/C", "NOT_FOUND").observe(0.002);
  all.published.inc(30);
  const { programs: shown, calls, operations, outboxes } = takeSnapshot(before, await sampleAt(10_000, all));
  const gateway = { perSecond: 10, errorsPerSecond: 0.2, p99Ms: expect.closeTo(87.5, 1) };
  expect(shown[0]).toMatchObject({ name: "gateway", ...gateway, inFlight: 2, pool: null, watches: null });
  expect(shown[1]).toMatchObject({ name: "workspace", perSecond: 0.1, errorsPerSecond: 0 });
  expect(calls).toEqual([
    { from: "client", to: "gateway", ...gateway },
    { from: "gateway", to: "workspace", perSecond: 0.2, errorsPerSecond: 0.1, p99Ms: expect.closeTo(2.49, 1) },
  ]);
  expect(outboxes[0]?.publishedPerSecond).toBe(3);
  expect(operations.map(({ program, name }) => [program, name])).toEqual([
    ["gateway", "GET /a"],
    ["workspace", "a.B/C"],
  ]);
});

test("without an earlier sample nothing has happened, and what waits is shown", async () => {
  const all = programs();
  all.http.labels("GET", "/a", "200").observe(1);
  all.backlog.set(7);
  all.parked.set({ consumer: "workspace", reason: "failed" }, 3);
  all.parked.set({ consumer: "workspace", reason: "unknown" }, 0);
  all.workspace.conditions.raise("nats-open", "no login");
  const snapshot = takeSnapshot(undefined, await sampleAt(0, all));
  expect(snapshot.programs[0]).toMatchObject({ perSecond: 0, p99Ms: null });
  expect(snapshot.programs[1]?.conditions).toEqual(["nats-open: no login"]);
  expect(snapshot.outboxes).toEqual([{ service: "workspace", rows: 7, seconds: 0, publishedPerSecond: 0 }]);
  expect(snapshot.parked).toEqual([{ consumer: "workspace", reason: "failed", rows: 3 }]);
});

test("NATS is as its worst service sees it", async () => {
  const all = programs();
  const seen = async (state: string, connected: number) => {
    all.login.reset();
    all.login.set({ state }, 1);
    all.connected.set(connected);
    return takeSnapshot(undefined, await sampleAt(0, all)).nats;
  };
  expect(await seen("accepted", 1)).toBe("connected");
  expect(await seen("accepted", 0)).toBe("unreachable");
  expect(await seen("refused", 0)).toBe("refused");
  all.login.reset();
  expect(takeSnapshot(undefined, await sampleAt(0, all)).nats).toBe("in process");
});
