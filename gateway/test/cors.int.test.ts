import { connect } from "node:net";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { afterEach, describe, expect, test } from "@jest/globals";
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
    "Authorization, Idempotency-Key, If-Match, If-None-Match, service-current-orgid, X-Request-Id, traceparent, tracestate, Content-Type, Last-Event-ID",
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

describe("what the transcoder does not serve can be read from a configured origin", () => {
  const raw = (request: string) => exchange(gateway.port, request.replaceAll("\n", "\r\n"));

  test.each([
    ["the OpenAPI document", 200, `GET /api/openapi.json HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`],
    ["the way in", 200, `GET /api HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`],
    ["the probe of load balancers", 200, `GET /healthz HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`],
    [
      "another method of a page",
      405,
      `POST /api/openapi.json HTTP/1.1\nHost: a\nContent-Length: 0\nOrigin: ${APP}\n\n`,
    ],
    [
      "a header given twice",
      400,
      `GET /api/workspaces HTTP/1.1\nHost: a\nOrigin: ${APP}\nAuthorization: a\nAuthorization: b\n\n`,
    ],
    ["an unknown path", 404, `GET /nowhere HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`],
    ["no token", 401, `GET /api/workspaces HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`],
    [
      "a service that is away",
      503,
      `GET /api/workspaces HTTP/1.1\nHost: a\nOrigin: ${APP}\nAuthorization: Bearer cst_${"a".repeat(43)}\n\n`,
    ],
    ["a malformed request", 400, `GET /api/workspaces HTTP/1.1\nHost: a\nOrigin: ${APP}\nBad Header: x\n\n`],
  ])("%s", async (_, status, request) => {
    await start({ corsOrigins: [APP] });
    const allowed = await raw(request);
    expect(allowed).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(allowed).toMatch(/^access-control-allow-origin: https:\/\/app\.example\.com\r$/im);
    expect(allowed).toMatch(/^vary: .*origin/im);
    const refused = await raw(request.replace(APP, "https://evil.example"));
    expect(refused).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(refused).not.toMatch(/access-control/i);
  });

  test("a preflight request of a page", async () => {
    await start({ corsOrigins: [APP] });
    expect((await preflight("/api/openapi.json")).slice(0, 4)).toEqual([204, "GET, HEAD", APP, "GET, HEAD"]);
  });

  test("control: without the setting, none of it can", async () => {
    await start({});
    expect(await raw(`GET /api/openapi.json HTTP/1.1\nHost: a\nOrigin: ${APP}\n\n`)).not.toMatch(/access-control/i);
  });
});

/** Sends the bytes of a request, and returns the head of the first response. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).write(request);
  let received = "";
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.includes("\r\n\r\n")) break;
  }
  return `${received.split("\r\n\r\n")[0]}\r\n`;
}
