import { createTelemetry } from "@cloud/telemetry";
import { afterEach, expect, test } from "@jest/globals";
import { type Gateway, type GatewayConfig, startGateway } from "../src/gateway.ts";

const APP = "https://app.example.com";
const NOWHERE = "http://127.0.0.1:9";
let gateway: Gateway;
afterEach(() => gateway.stop());

async function start(config: Partial<GatewayConfig>): Promise<void> {
  const telemetry = createTelemetry({ service: "gateway", level: "silent", processMetrics: false });
  const urls = { workspaceUrl: NOWHERE, environmentUrl: NOWHERE, identityUrl: NOWHERE };
  gateway = await startGateway({ host: "127.0.0.1", port: 0, ...urls, telemetry, ...config });
}

async function preflight(path: string, origin = APP) {
  const headers = { Origin: origin, "Access-Control-Request-Method": "PUT" };
  const { status, headers: received } = await fetch(gateway.url + path, { method: "OPTIONS", headers });
  const names = [
    "allow",
    "access-control-allow-origin",
    "access-control-allow-methods",
    "access-control-allow-headers",
  ];
  return [status, ...names.map((name) => received.get(name))];
}

test("OPTIONS names the methods of a path, without a token", async () => {
  await start({});
  expect(await preflight("/api/workspaces/1")).toEqual([204, "DELETE, GET, HEAD, PUT", null, null, null]);
  expect(await preflight("/healthz")).toEqual([204, "GET, HEAD", null, null, null]);
  expect((await preflight("/nowhere"))[0]).toBe(404);
});

test("a page of a configured origin may call, and read errors", async () => {
  await start({ corsOrigins: [APP] });
  expect(await preflight("/api/workspaces/1")).toEqual([
    204,
    "DELETE, GET, HEAD, PUT",
    APP,
    "DELETE, GET, HEAD, PUT",
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, service-current-orgid, X-Request-Id, traceparent, tracestate",
  ]);
  expect(await preflight("/api/workspaces/1", "https://evil.example")).toEqual([
    204,
    "DELETE, GET, HEAD, PUT",
    null,
    null,
    null,
  ]);
  const { status, headers } = await fetch(gateway.url + "/api/workspaces", { headers: { Origin: APP } });
  expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([401, APP, "Origin"]);
  expect(headers.get("access-control-expose-headers")).toContain("Location");
});
