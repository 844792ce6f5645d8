import { captureLog, waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import type { RpcServer, RpcServerOptions } from "../src/index.ts";
import { PROFILE, startUserServer, USER } from "./start-user-server.ts";

const APP = "https://app.example.com";
let server: RpcServer;
afterEach(() => server.stop());

const start = async (corsOrigins?: RpcServerOptions["corsOrigins"]) => {
  server = await startUserServer({ corsOrigins });
};

async function preflight(origin: string) {
  const headers = { Origin: origin, "Access-Control-Request-Method": "POST" };
  const { status, headers: received } = await fetch(server.url + PROFILE, { method: "OPTIONS", headers });
  return [status, received.get("access-control-allow-origin"), received.get("access-control-allow-methods")];
}

async function call(origin: string, authorization = `Bearer ${USER}`) {
  const headers = { Origin: origin, "Content-Type": "application/json", Authorization: authorization };
  const { status, headers: received } = await fetch(server.url + PROFILE, { method: "POST", headers, body: "{}" });
  const exposed = received.get("access-control-expose-headers")?.toLowerCase().split(", ") ?? [];
  return [status, received.get("access-control-allow-origin"), received.get("vary"), exposed.includes("grpc-status")];
}

test("without the setting, no origin is permitted", async () => {
  await start();
  expect((await preflight(APP)).slice(1)).toEqual([null, null]);
  expect(await call(APP)).toEqual([200, null, null, false]);
});

test("a page of a permitted origin may call, and read replies and errors", async () => {
  await start([APP]);
  expect(await preflight(APP)).toEqual([204, APP, "POST"]);
  expect(await call(APP)).toEqual([200, APP, "Origin", true]);
  expect(await call(APP, "")).toEqual([401, APP, "Origin", true]);
});

test("a preflight request has a line in the access log, as any other", async () => {
  const { all, telemetry } = captureLog();
  server = await startUserServer({ corsOrigins: [APP], telemetry: telemetry() });
  await preflight(APP);
  await call(APP);
  const lines = await waitFor(() => (all().length === 2 ? all() : undefined), { deadlineMs: 30_000 });
  const route = PROFILE.slice(1);
  expect(lines).toMatchObject([
    { route, status: 204, code: "HTTP_204", caller: "", bytes: 0 },
    { route, status: 200, code: "OK" },
  ]);
});

test.each(["https://evil.example", `${APP}.evil.example`, "http://app.example.com", "null"])(
  "%s is not that origin",
  async (origin) => {
    await start([APP]);
    expect((await preflight(origin)).slice(1)).toEqual([null, null]);
    expect(await call(origin)).toEqual([200, null, "Origin", false]);
  },
);

test("with *, a page of any origin may call, without cookies", async () => {
  await start("*");
  expect(await preflight(APP)).toEqual([204, "*", "POST"]);
  expect(await call(APP)).toEqual([200, "*", null, true]);
  const { headers } = await fetch(server.url + PROFILE, { method: "OPTIONS", headers: { Origin: APP } });
  expect(headers.get("access-control-allow-credentials")).toBeNull();
});
