import { once } from "node:events";
import { connect } from "node:net";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { captureLog, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";

const NOWHERE = "http://127.0.0.1:1";
const WITHIN = { deadlineMs: 30_000 };
const log = captureLog();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: NOWHERE,
    environmentUrl: NOWHERE,
    identityUrl: NOWHERE,
    // No success is logged, so every line of a page would be one too many.
    telemetry: createTelemetry({
      service: "gateway",
      level: "info",
      destination: log.destination,
      processMetrics: false,
      accessSample: 0,
    }),
  });
});
afterAll(() => gateway.stop());

const lineOf = (requestId: string) => waitFor(() => log.of(requestId).find(({ msg }) => msg === "request"), WITHIN);

test.each([
  ["an unknown path", "GET", "/api/secret-path", "none", 404, "ROUTE_NOT_FOUND"],
  ["another method", "PATCH", "/api/workspaces", "none", 405, "METHOD_NOT_ALLOWED"],
  ["no token", "GET", "/api/workspaces/secret-id", "GET /api/workspaces/{id}", 401, "UNAUTHENTICATED"],
  ["a query", "GET", "/api/workspaces?search=secret-name", "GET /api/workspaces", 401, "UNAUTHENTICATED"],
  ["another method of a page", "POST", "/api/docs", "GET /api/docs", 405, "METHOD_NOT_ALLOWED"],
])(
  "a request with %s has a line without anything that its client wrote",
  async (what, method, path, route, status, code) => {
    const requestId = what.replaceAll(" ", "-");
    const response = await fetch(gateway.url + path, { method, headers: { "x-request-id": requestId } });
    expect(response.status).toBe(status);
    expect(await lineOf(requestId)).toMatchObject({ level: "info", route, status, code, caller: "" });
    expect(JSON.stringify(log.of(requestId))).not.toContain("secret");
  },
);

test("what Node's parser refuses has a line with the id of its response", async () => {
  const socket = connect(gateway.port, "127.0.0.1");
  socket.setEncoding("utf8").write("GET / HTTP/9.9\r\n\r\n");
  const [text] = (await once(socket, "data")) as [string];
  socket.destroy();
  const [, body = ""] = text.split("\r\n\r\n");
  const requestId = /X-Request-Id: (\S+)/.exec(text)?.[1] ?? "";
  const shown = { route: "none", status: 400, code: "MALFORMED_REQUEST", caller: "", bytes: Buffer.byteLength(body) };
  expect(await lineOf(requestId)).toMatchObject(shown);
  expect(shown.bytes).toBeGreaterThan(20);
});

test("a success that is not in the sample has none, nor has a probe", async () => {
  for (const path of ["/healthz", "/api/docs"]) {
    const response = await fetch(gateway.url + path, { headers: { "x-request-id": "success" } });
    expect([response.status, response.headers.get("x-request-id")]).toEqual([200, "success"]);
  }
  await fetch(gateway.url + "/end", { headers: { "x-request-id": "last" } });
  await lineOf("last");
  expect(log.of("success")).toEqual([]);
});
