import { readFileSync } from "node:fs";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type System, startSystem } from "../../chaos/system/start-system.ts";
import { openDatabases } from "../../chaos/system/system-databases.ts";
import { restFor } from "../rest.ts";
import { REPORT_SDK } from "./controls.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";
import { renderSpanTree } from "./span-tree.ts";

const WITHIN = { deadlineMs: 30_000 };
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

let system: System;
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  system = await startSystem({
    env: {
      ...REPORT_SDK,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    },
  });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await collector.stop();
});

const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** Returns the tree of docs/observability.md. */
function described(): string {
  const page = readFileSync(new URL("../../../docs/observability.md", import.meta.url), "utf8");
  return /```text\n(.*?)\n```/s.exec(page)?.[1] ?? "";
}

/**
 * Waits until nothing is left that the next event could be consumed with, whose effects would be in no trace or
 * another.
 */
async function consumed(): Promise<void> {
  const databases = openDatabases(system);
  await databases.drained(20_000).finally(databases.close);
}

test("one trace leads from the REST request to the effect in the other service", async () => {
  const { demo } = system;
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const [organization] = demo.organizations;
  const { body: workspace } = await rest.post("/workspaces", { name: "w", organizationId: organization?.id });
  const link = async () => {
    const { body: environment } = await rest.post("/environments", { name: "e", organizationId: organization?.id });
    await rest.post(`/workspaces/${workspace.id}/environments/${environment.id}`);
    return environment;
  };
  // The first event of a peer in a process also compares the peer's installation with the one it knows.
  await rest.delete(`/environments/${(await link()).id}`);
  await consumed();
  const environment = await link();
  await consumed();
  const headers = { traceparent, tracestate: "vendor=1" };
  const deleted = await rest.send(`/environments/${environment.id}`, { method: "DELETE", headers });
  expect(deleted.status).toBe(204);
  const tree = () => renderSpanTree(ofTrace(CALLER.traceId));
  await waitFor(() => tree() === described() || undefined, WITHIN).catch(() => undefined);
  expect(tree()).toBe(described());
  const spans = ofTrace(CALLER.traceId);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === CALLER.spanId).map(({ name }) => name)).toEqual([
    "DELETE /api/environments/{id}",
  ]);
  const [gateway] = spans.filter(({ service, kind }) => service === "gateway" && kind === "server");
  expect(gateway?.attributes).toMatchObject({
    "cloud.request_id": deleted.headers.get("x-request-id"),
    "http.route": "/api/environments/{id}",
  });
  expect([...collector.paths]).toEqual(["POST /v1/traces application/json"]);
  expect(JSON.stringify(collector.spans)).not.toContain(demo.users.orgAdmin.token);
}, 60_000);

test("each program has loaded the SDK", () => {
  const loads = system.programs.filter(({ log }) => log().some(({ msg }) => msg.startsWith("loaded sdk-trace/")));
  expect(loads).toHaveLength(4);
});

test("a request without a trace begins one", async () => {
  const { demo } = system;
  const response = await restFor(demo, demo.users.user.token).get("/identity/users/profile");
  const requestId = response.headers.get("x-request-id");
  const root = await waitFor(
    () =>
      collector.spans.find(
        ({ attributes, service }) => service === "gateway" && attributes["cloud.request_id"] === requestId,
      ),
    WITHIN,
  );
  expect([root.parentSpanId, root.kind]).toEqual(["", "server"]);
});

test("requests are served while the collector is away, and the loss is logged", async () => {
  await collector.stop();
  const { demo, gateway } = system;
  const rest = restFor(demo, demo.users.user.token);
  for (let count = 0; count < 20; count++) expect((await rest.get("/identity/users/profile")).status).toBe(200);
  const lost = await waitFor(() => gateway.log().find(({ msg }) => msg.startsWith("the collector")), WITHIN);
  expect(lost).toMatchObject({ level: "warn", lost: expect.any(Number) });
  expect(await gateway.stop()).toBe(0);
}, 60_000);
