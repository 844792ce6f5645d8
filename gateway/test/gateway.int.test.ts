import { createHash } from "node:crypto";
import { fail, rateLimited } from "@cloud/access/errors";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { type FakeService, startFakeService, tokenOf } from "./fake-services.ts";

const AT = { seconds: 1767323045n, nanos: 0 };
const bearer = (name: string) => `Bearer ${TOKEN_PREFIX}${name.padEnd(43, "_")}`;
const TOKEN = { authorization: bearer("good") };
let gateway: Gateway;
let telemetry: Telemetry;
let fakes: FakeService[];
let seen: { message: object; headers: Headers }[];
let behave: (context: HandlerContext) => Promise<void>;

/** The behaviour of every fake RPC: checks the token, records the call, then runs the test's handler. */
async function serve(message: object, context: HandlerContext) {
  if (tokenOf(context) !== TOKEN.authorization) throw fail(Reason.UNAUTHENTICATED);
  seen.push({ message, headers: context.requestHeader });
  await behave(context);
}

function identityRoutes(router: Parameters<Parameters<typeof startFakeService>[0]>[0]) {
  router.service(UserService, {
    async getProfile(request, context) {
      await serve(request, context);
      return { profile: { id: "u" } };
    },
  });
  router.service(TokenService, {
    async createToken(request, context) {
      await serve(request, context);
      return { token: { id: "t1", name: request.name, createdAt: AT }, secret: "s" };
    },
  });
}

beforeAll(async () => {
  const workspace = await startFakeService((router) => {
    router.service(WorkspaceService, {
      async createWorkspace(request, context) {
        await serve(request, context);
        return {
          workspace: { id: "w1", organizationId: request.organizationId, metadata: {}, createdAt: AT, updatedAt: AT },
        };
      },
      async listWorkspaces(request, context) {
        await serve(request, context);
        return { page: 0, pageSize: 25, totalCount: 0, workspaces: [] };
      },
      async getWorkspace(request, context) {
        await serve(request, context);
        return { workspace: { id: request.id } };
      },
      async deleteWorkspace(request, context) {
        await serve(request, context);
        return {};
      },
      async updateWorkspace(request, context) {
        await serve(request, context);
        return { workspace: { id: request.id } };
      },
    });
  });
  const environment = await startFakeService((router) => {
    router.service(EnvironmentService, {
      async updateEnvironment(request, context) {
        await serve(request, context);
        return { environment: { id: request.id } };
      },
    });
  });
  const identity = await startFakeService(identityRoutes);
  fakes = [workspace, environment, identity];
  telemetry = createTelemetry({ service: "gateway", level: "silent", processMetrics: false });
  gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: workspace.url,
    environmentUrl: environment.url,
    identityUrl: identity.url,
    telemetry,
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(fakes.map((fake) => fake.stop()));
});

beforeEach(() => {
  seen = [];
  behave = async () => {};
});

async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method, headers: { "x-request-id": "r1", ...TOKEN, ...type, ...headers }, body: body ?? null };
  const response = await fetch(gateway.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const errorBody = (error: string, code: string) => JSON.stringify({ error, code, requestId: "r1" });

describe("a malformed request", () => {
  test.each<[string, string, string | undefined, number, string, string]>([
    ["GET", "/nowhere", undefined, 404, "no such path", "ROUTE_NOT_FOUND"],
    ["PATCH", "/api/workspaces", undefined, 405, "method not allowed", "METHOD_NOT_ALLOWED"],
    ["GET", "/api/workspaces/%ff", undefined, 400, "request path is not valid percent-encoded UTF-8", "INVALID_PATH"],
    ["GET", "/api/workspaces?page=x", undefined, 400, "page must be a whole number", "INVALID_PARAMETER"],
    ["POST", "/api/workspaces", "{", 400, "request body is not valid JSON: position 1", "INVALID_JSON"],
    [
      "POST",
      "/api/workspaces",
      '{"organizationId":5}',
      400,
      "invalid organizationId format",
      "ORGANIZATION_ID_INVALID",
    ],
    ["POST", "/api/workspaces", '{"name":5}', 400, "name must be a string", "INVALID_PARAMETER"],
    [
      "DELETE",
      "/api/workspaces/1",
      "x".repeat(2 ** 20 + 1),
      413,
      "request body is larger than 1 MiB",
      "BODY_TOO_LARGE",
    ],
    [
      "DELETE",
      "/api/workspaces/%ff",
      undefined,
      400,
      "request path is not valid percent-encoded UTF-8",
      "INVALID_PATH",
    ],
    ["PUT", "/api/environments/1", "null", 400, "Unable to update environment", "ENVIRONMENT_UPDATE_EMPTY"],
    ["PUT", "/api/environments/1", undefined, 400, "Unable to update environment", "ENVIRONMENT_UPDATE_EMPTY"],
    [
      "PUT",
      "/api/workspaces/1",
      `"${"x".repeat(2 ** 20)}"`,
      413,
      "request body is larger than 1 MiB",
      "BODY_TOO_LARGE",
    ],
  ])("%s %s (%#)", async (method, path, body, status, error, code) => {
    const response = await send(method, path, body);
    expect(response).toMatchObject({ status, text: errorBody(error, code) });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("x-request-id")).toBe("r1");
  });

  test("of the content type", async () => {
    const response = await send("POST", "/api/workspaces", "{}", { "content-type": "text/plain" });
    expect(response).toMatchObject({
      status: 415,
      text: errorBody("content type must be application/json", "UNSUPPORTED_MEDIA_TYPE"),
    });
  });

  test("405 lists what is allowed, including HEAD", async () => {
    expect((await send("PUT", "/api/workspaces")).headers.get("allow")).toBe("GET, HEAD, POST");
    const head = await send("HEAD", "/api/workspaces?page=x");
    expect([head.status, head.text]).toEqual([400, ""]);
  });
});

describe("authentication comes first", () => {
  const refused = errorBody("a valid security token is required", "UNAUTHENTICATED");

  test.each([
    ["no token", "", "GET", "/api/workspaces", undefined],
    ["another scheme", "Basic Z29vZA==", "GET", "/api/workspaces", undefined],
    ["no token, broken body", "", "POST", "/api/workspaces", "{"],
    ["an unknown token", bearer("bad"), "GET", "/api/workspaces", undefined],
    ["an unknown token, broken body", bearer("bad"), "POST", "/api/workspaces", "{"],
    ["an unknown token, broken path", bearer("bad"), "GET", "/api/workspaces/%ff", undefined],
    ["an unknown token, no body", bearer("bad"), "PUT", "/api/environments/1", undefined],
    ["a token that HTTP/2 cannot carry", "Bearer \u00e4", "GET", "/api/workspaces", undefined],
  ])("%s", async (_, authorization, method, path, body) => {
    const response = await send(method, path, body, { authorization });
    expect(response).toMatchObject({ status: 401, text: refused });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(seen).toEqual([]);
  });

  test("an unknown path, and a method that a path does not have, need none", async () => {
    expect((await send("GET", "/nowhere", undefined, { authorization: "" })).status).toBe(404);
    expect((await send("PATCH", "/api/workspaces", undefined, { authorization: "" })).status).toBe(405);
  });
});

describe("a failure of a service", () => {
  test.each<[string, () => Error, number, string, string]>([
    [
      "a reason of the catalogue",
      () => fail(Reason.WORKSPACE_NOT_FOUND),
      404,
      "workspace not found",
      "WORKSPACE_NOT_FOUND",
    ],
    [
      "filled in",
      () => fail(Reason.PERMISSION_DENIED, { permission: "Edit Workspace" }),
      403,
      'permission "Edit Workspace" is required',
      "PERMISSION_DENIED",
    ],
    [
      "another status by REST",
      () => fail(Reason.WORKSPACE_CREATE_FAILED),
      500,
      "Unable to create workspace",
      "WORKSPACE_CREATE_FAILED",
    ],
    [
      "down",
      () => new ConnectError("connect ECONNREFUSED 10.0.0.1", Code.Unavailable),
      503,
      "the service is temporarily unavailable",
      "UNAVAILABLE",
    ],
    [
      "too late",
      () => new ConnectError("x", Code.DeadlineExceeded),
      504,
      "the request took too long",
      "DEADLINE_EXCEEDED",
    ],
    [
      "unimplemented",
      () => new ConnectError("x", Code.Unimplemented),
      501,
      "this operation is not implemented",
      "UNIMPLEMENTED",
    ],
    [
      "unknown",
      () => new ConnectError("relation users at db.internal", Code.Unknown),
      500,
      "internal error",
      "INTERNAL",
    ],
    ["thrown", () => new Error("SELECT secret"), 500, "internal error", "INTERNAL"],
  ])("%s", async (_, error, status, text, code) => {
    behave = () => Promise.reject(error());
    const response = await send("GET", "/api/workspaces/1");
    expect(response).toMatchObject({ status, text: errorBody(text, code) });
    expect(response.headers.get("retry-after")).toBe(status === 503 || status === 504 ? "1" : null);
  });

  test("a rate limit is 429 with its headers, also where the gateway itself refuses the request", async () => {
    const limit = { quota: 600, windowSeconds: 60, retryAfterSeconds: 37 };
    behave = () => Promise.reject(rateLimited({ policy: "token", ...limit }));
    const text = errorBody("too many requests", "RATE_LIMITED");
    for (const path of ["/api/workspaces/1", "/api/workspaces/%ff"]) {
      const response = await send("GET", path);
      expect(response).toMatchObject({ status: 429, text });
      expect(response.headers.get("retry-after")).toBe("37");
      expect(response.headers.get("ratelimit-policy")).toBe('"token";q=600;w=60');
      expect(response.headers.get("ratelimit")).toBe('"token";r=0;t=37');
    }
    behave = () => Promise.reject(rateLimited({ policy: "organization", ...limit }));
    expect((await send("GET", "/api/workspaces/1")).headers.get("ratelimit-policy")).toBe('"organization";q=600;w=60');
  });

  test("a success carries what the service says of rate limits, and no other header of it", async () => {
    const limits = { "ratelimit-policy": '"token";q=600;w=60', ratelimit: '"token";r=599;t=37' };
    behave = async ({ responseHeader }) => {
      for (const [name, value] of Object.entries({ ...limits, "x-other": "1" })) responseHeader.set(name, value);
    };
    const body = JSON.stringify({ organizationId: "o", name: "n" });
    for (const [method, path, sent] of [
      ["GET", "/api/workspaces/1"],
      ["POST", "/api/workspaces", body],
      ["DELETE", "/api/workspaces/1"],
    ] as const) {
      const { headers } = await send(method, path, sent);
      expect([headers.get("ratelimit-policy"), headers.get("ratelimit")]).toEqual(Object.values(limits));
      expect([headers.get("retry-after"), headers.get("x-other")]).toEqual([null, null]);
    }
    behave = async () => undefined;
    const { headers } = await send("GET", "/api/workspaces/1");
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });

  test("an unresponsive service is cut off at the deadline", async () => {
    behave = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject));
    const [workspaceUrl = "", environmentUrl = "", identityUrl = ""] = fakes.map(({ url }) => url);
    const impatient = await startGateway({
      host: "127.0.0.1",
      port: 0,
      workspaceUrl,
      environmentUrl,
      identityUrl,
      requestDeadlineMs: 200,
      telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
    });
    expect((await fetch(impatient.url + "/api/workspaces/1", { headers: TOKEN })).status).toBe(504);
    await impatient.stop();
  });

  test("an unreachable service is reported immediately", async () => {
    const down = await startGateway({
      host: "127.0.0.1",
      port: 0,
      workspaceUrl: "http://127.0.0.1:1",
      environmentUrl: "http://127.0.0.1:1",
      identityUrl: "http://127.0.0.1:1",
      telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
    });
    const get = (path: string) => fetch(down.url + path, { headers: TOKEN });
    expect((await get("/api/workspaces/1")).status).toBe(503);
    expect((await get("/api/workspaces/%ff")).status).toBe(503);
    expect(await down.readiness()).toEqual({
      ready: false,
      lines: ["not reachable: workspace, environment, identity"],
    });
    expect((await get("/healthz")).status).toBe(200);
    await down.stop();
  });

  test("one unreachable service does not make the gateway unready", async () => {
    const half = await startGateway({
      host: "127.0.0.1",
      port: 0,
      workspaceUrl: "http://127.0.0.1:1",
      environmentUrl: fakes[1]?.url ?? "",
      identityUrl: fakes[1]?.url ?? "",
      telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
    });
    expect(await half.readiness()).toEqual({ ready: true, lines: ["not reachable: workspace"] });
    await half.stop();
  });
});

describe("a success", () => {
  test("of a create is 201 with Location and the record, to the byte", async () => {
    const response = await send("POST", "/api/workspaces/", '{"organization_id":"o1","unknown":1}');
    expect(response).toMatchObject({
      status: 201,
      text:
        '{"id":"w1","name":"","description":"","organizationId":"o1","owner":"","metadata":{},' +
        '"createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z","deletedAt":null,"etag":""}',
    });
    expect(response.headers.get("location")).toBe("/api/workspaces/w1");
  });

  test("of a token contains its secret and its location", async () => {
    const response = await send("POST", "/api/identity/tokens", '{"name":"ci"}');
    expect([response.status, response.headers.get("location")]).toEqual([201, "/api/identity/tokens/t1"]);
    expect(JSON.parse(response.text)).toMatchObject({ token: { id: "t1", name: "ci", revokedAt: null }, secret: "s" });
  });

  test("of a list is the whole message, and of HEAD only its headers", async () => {
    const path = "/api/workspaces?orgID=o1&pagesize=999999999999999999999&order=updated_at+desc";
    const get = await send("GET", path);
    expect(get).toMatchObject({ status: 200, text: '{"page":0,"pageSize":25,"totalCount":0,"workspaces":[]}' });
    expect(seen[0]?.message).toMatchObject({ orgId: "o1", pageSize: 2n ** 63n - 1n, order: "updated_at desc" });
    const head = await send("HEAD", path);
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", String(get.text.length)]);
  });

  test("of a delete is 204 without a body", async () => {
    const { status, text, headers } = await send("DELETE", "/api/workspaces/a%2Fb");
    expect([status, text, headers.get("content-type")]).toEqual([204, "", null]);
    expect(seen[0]?.message).toMatchObject({ id: "a/b" });
  });

  test("an update without a body reaches the service's own rule", async () => {
    expect((await send("PUT", "/api/workspaces/1")).status).toBe(200);
    expect((await send("PUT", "/api/workspaces/1", "null")).status).toBe(200);
    expect((await send("PUT", "/api/environments/1", "{}")).status).toBe(200);
  });

  test("the caller's token, context and trace are forwarded, and nothing else", async () => {
    const conditions = { "if-match": '"a"', "idempotency-key": "a key" };
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const trace = { traceparent, tracestate: "a=b", "service-current-orgid": "o2", cookie: "secret=1" };
    await send("GET", "/api/workspaces/1", undefined, { ...conditions, ...trace });
    const headers = seen[0]?.headers;
    const names = [
      "authorization",
      "service-current-orgid",
      "x-request-id",
      ...Object.keys(trace).slice(0, 2),
      "cookie",
    ];
    expect(["if-match", "idempotency-key"].map((name) => headers?.get(name))).toEqual(Object.values(conditions));
    expect(names.map((name) => headers?.get(name) ?? null)).toEqual([
      TOKEN.authorization,
      "o2",
      "r1",
      traceparent,
      "a=b",
      null,
    ]);
  });
});

describe("the gateway's own pages", () => {
  test.each([
    ["/healthz", "text/plain; charset=utf-8"],
    ["/api/docs", "text/html; charset=utf-8"],
    ["/api/openapi.json", "application/json"],
    ["/api/openapi.yaml", "application/yaml"],
  ])("%s", async (path, type) => {
    const response = await send("GET", path, undefined, { authorization: "" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    const head = await send("HEAD", path);
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([
      200,
      "",
      response.headers.get("content-length"),
    ]);
    expect((await send("POST", path)).headers.get("allow")).toBe("GET, HEAD");
  });

  test.each(["/", "/api", "/api/", "/api/docs/"])("%s leads on", async (path) => {
    const program = await send("GET", path, undefined, { authorization: "" });
    expect([program.status, JSON.parse(program.text)]).toEqual([
      200,
      { name: "Cloud management API", documentation: "/api/docs", openapi: "/api/openapi.json" },
    ]);
    const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const browser = await fetch(gateway.url + path, { headers, redirect: "manual" });
    expect([browser.status, browser.headers.get("location"), browser.headers.get("vary")]).toEqual([
      302,
      "/api/docs",
      "Accept",
    ]);
    expect((await send("POST", path)).status).toBe(405);
    const reached = await fetch(gateway.url + path, { headers });
    expect([reached.status, new URL(reached.url).pathname]).toEqual([200, "/api/docs"]);
  });

  test.each([
    ["/api/workspace", "/api/workspaces"],
    ["/api/workspaces/1/team/2", "/api/workspaces/{id}/teams/{teamId}"],
    ["/api/openapi", "/api/openapi.json"],
  ])("the error of the unknown path %s names %s", async (path, nearest) => {
    const { status, text } = await send("GET", path);
    expect([status, text]).toEqual([404, errorBody(`no such path: did you mean ${nearest}?`, "ROUTE_NOT_FOUND")]);
  });

  test("the reference reveals no address to the pages that it links to, and runs no script of others", async () => {
    const { headers } = await send("GET", "/api/docs");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; /);
  });

  test("the reference names the document to readers without scripts", async () => {
    const { text } = await send("GET", "/api/docs");
    expect(text).toMatch(/<noscript>.*<a href="\/api\/openapi.yaml">/);
  });

  test("the script of the reference has a name of its own and never changes", async () => {
    const { text } = await send("GET", "/api/docs");
    const [, path = ""] = /<script src="([^"]+)"/.exec(text) ?? [];
    expect(path).toMatch(/^\/api\/docs\/scalar\.[0-9a-f]{16}\.js$/);
    const script = await send("GET", path);
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toBe("text/javascript");
    const digest = createHash("sha256").update(script.text).digest("hex").slice(0, 16);
    expect(path).toContain(digest);
  });

  test.each([
    ["gzip", "gzip"],
    ["br, gzip;q=0.5", "gzip"],
    ["*", null],
    ["", null],
    ["br", null],
    ["gzip;q=0", null],
    ["gzip; q=0.000, *", null],
  ])("a page is compressed for Accept-Encoding %j: %s", async (accepted, coding) => {
    const response = await send("GET", "/api/openapi.json", undefined, { "accept-encoding": accepted });
    expect([response.headers.get("content-encoding"), response.headers.get("vary")]).toEqual([
      coding,
      "Accept-Encoding",
    ]);
    expect(JSON.parse(response.text)).toHaveProperty("openapi");
  });

  test.each(["/readyz", "/metrics"])("%s is not among them: operators have a port of their own", async (path) => {
    const { status, text } = await send("GET", path);
    expect([status, text]).toEqual([404, errorBody("no such path", "ROUTE_NOT_FOUND")]);
  });

  test("the metrics count by route, not by path", async () => {
    await send("GET", "/api/workspaces/secret-id");
    const text = await telemetry.metrics.metrics();
    const labels = [
      'http_request_method="GET"',
      'http_route="/api/workspaces/{id}"',
      'http_response_status_code="200"',
    ];
    const counts = text.match(/^http_server_request_duration_seconds_count\{.* [1-9]\d*$/gm) ?? [];
    expect(counts.filter((line) => labels.every((label) => line.includes(label)))).toHaveLength(1);
    expect(text).toMatch(/^http_server_active_requests\{.*\} 0$/m);
    expect(text).toMatch(/^rpc_client_call_duration_seconds_count\{.*server_address="workspace".*\} [1-9]/m);
    expect(text).not.toContain("secret-id");
  });
});

test("a gateway that stops finishes requests in flight, and accepts no new ones", async () => {
  const own = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: fakes[0]?.url ?? "",
    environmentUrl: fakes[1]?.url ?? "",
    identityUrl: fakes[2]?.url ?? "",
    telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
  });
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  behave = () => {
    arrived.resolve();
    return release.promise;
  };
  const inFlight = fetch(`${own.url}/api/workspaces/1`, { headers: TOKEN });
  await arrived.promise;
  const stopped = own.stop();
  await expect(fetch(`${own.url}/healthz`)).rejects.toThrow();
  release.resolve();
  expect((await inFlight).status).toBe(200);
  await stopped;
});
