import { once } from "node:events";
import { connect } from "node:net";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { DEFAULT_LIMITS } from "@cloud/runtime/limits";
import { captureLog, waitFor } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { startGateway } from "../src/gateway.ts";
import { startFakeService } from "./fake-services.ts";

const APP = "https://app.example.com";
const TOKEN = { authorization: `Bearer ${TOKEN_PREFIX}${"a".repeat(43)}` };
const OTHER_TOKEN = { authorization: `Bearer ${TOKEN_PREFIX}${"b".repeat(43)}` };
const WITHIN = { deadlineMs: 30_000 };
const REFUSAL = "HTTP/1.1 503 Service Unavailable";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

/**
 * Starts a gateway with one request to the workspace service in flight, which ends when `release` is called, and a
 * limit.
 */
async function occupy(maxInFlight: number) {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  const services = await startFakeService((router) => {
    router.service(WorkspaceService, {
      async getWorkspace() {
        begun.resolve();
        return await end.promise;
      },
    });
    router.service(EnvironmentService, { getEnvironment: () => ({}) });
  });
  resources.push(() => services.stop());
  const log = captureLog();
  const telemetry = log.telemetry("gateway");
  const gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: services.url,
    environmentUrl: services.url,
    identityUrl: "http://127.0.0.1:9",
    corsOrigins: [APP],
    limits: { ...DEFAULT_LIMITS, maxInFlight },
    telemetry,
  });
  resources.push(() => gateway.stop());
  const statusOf = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(gateway.url + path, { ...init, headers: { ...TOKEN, ...init.headers } });
    await response.text();
    return response.status;
  };
  const first = statusOf("/api/workspaces/1");
  await begun.promise;
  const release = async () => {
    end.resolve({});
    return await first;
  };
  resources.push(release);
  return { gateway, log, metrics: () => telemetry.metrics.metrics(), statusOf, release };
}

test("beyond the limit of a service, its requests are refused whatever else is wrong with them; no other is", async () => {
  const { statusOf, release } = await occupy(1);
  const malformed = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
  expect(await statusOf("/api/workspaces/2")).toBe(503);
  expect(await statusOf("/api/workspaces?page=x")).toBe(503);
  expect(await statusOf("/api/content/views/2")).toBe(503);
  expect(await statusOf("/api/workspaces/1/2/3/no-such-path")).toBe(503);
  expect(await statusOf("/api/workspaces", { method: "PATCH" })).toBe(503);
  expect(await statusOf("/api/workspaces", malformed)).toBe(503);
  expect(await statusOf("/api/workspaces", { headers: { authorization: "" } })).toBe(503);
  // A path whose first segment is written otherwise is refused when its service is called.
  expect(await statusOf("/api/w%6Frkspaces/2")).toBe(503);

  expect(await statusOf("/api/workspaces", { method: "OPTIONS" })).toBe(204);
  expect(await statusOf("/api/environments/1")).toBe(200);
  expect(await statusOf("/api/docs")).toBe(200);
  expect(await statusOf("/healthz")).toBe(200);
  expect(await statusOf("/api/no-such-path")).toBe(404);

  expect(await release()).toBe(200);
  expect(await statusOf("/api/workspaces/2")).toBe(200);
  expect(await statusOf("/api/workspaces", { headers: { authorization: "" } })).toBe(401);
});

test("a refusal waits for no body, can be read by a page, and is counted and logged", async () => {
  const { gateway, log, metrics } = await occupy(1);
  const head = [
    "POST /api/workspaces HTTP/1.1",
    "Host: a",
    `Origin: ${APP}`,
    "X-Request-Id: refused",
    "Content-Length: 900000",
  ];
  const socket = connect(gateway.port, "127.0.0.1");
  resources.push(() => socket.destroy());
  socket.setEncoding("utf8").write(`${head.join("\r\n")}\r\n\r\n`);
  const [text] = (await once(socket, "data")) as [string];
  expect(text.split("\r\n")).toEqual(
    expect.arrayContaining([
      REFUSAL,
      "Retry-After: 1",
      "X-Request-Id: refused",
      `Access-Control-Allow-Origin: ${APP}`,
      '{"error":"the service is busy","code":"OVERLOADED","requestId":"refused"}',
    ]),
  );
  const bytes = text.split("\r\n\r\n")[1]?.length;
  expect(log.of("refused")).toMatchObject([{ msg: "request", status: 503, code: "OVERLOADED", route: "none", bytes }]);
  const shown = await metrics();
  expect(shown).toMatch(/^admission_refused_total\{work="workspace".*\} 1$/m);
  expect(shown).toMatch(/^http_server_request_duration_seconds_count\{.*http_route="none".*="503".*\} 1$/m);
  expect(shown).toMatch(/^http_server_active_requests\S* 1$/m);
});

test("while another token is there, one has at most half of the places, whatever the path", async () => {
  const { statusOf, release } = await occupy(4);
  const paths = ["/api/workspaces/2", "/api/workspaces/3", "/api/w%6Frkspaces/4"];
  const statuses = paths.map((path) => statusOf(path, { headers: OTHER_TOKEN }));
  expect(await Promise.race(statuses)).toBe(503);
  expect(await release()).toBe(200);
  expect((await Promise.all(statuses)).toSorted()).toEqual([200, 200, 503]);
});

test("control: a token that is alone has all places", async () => {
  const { statusOf, metrics, release } = await occupy(4);
  const statuses = [2, 3, 4].map((id) => statusOf(`/api/workspaces/${id}`));
  await waitFor(
    async () => /^admission_in_flight\{work="workspace".*\} 4$/m.test(await metrics()) || undefined,
    WITHIN,
  );
  await release();
  expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
});
