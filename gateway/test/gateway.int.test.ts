import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { fail } from "@cloud/rpc";
import { createTelemetry } from "@cloud/telemetry";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { type FakeService, startFakeService, tokenOf } from "./fake-services.ts";

const AT = { seconds: 1767323045n, nanos: 0 };
const TOKEN = { authorization: "Bearer good" };
let gateway: Gateway;
let fakes: FakeService[];
let seen: { message: object; headers: Headers }[];
let behave: (context: HandlerContext) => Promise<void>;

/** What every fake RPC does: knows the token, remembers the call, then does as the test says. */
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
  gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: workspace.url,
    environmentUrl: environment.url,
    identityUrl: identity.url,
    requestDeadlineMs: 1_000,
    telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
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
const told = (error: string, code: string) => JSON.stringify({ error, code, requestId: "r1" });

describe("a fault of form", () => {
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
    const answer = await send(method, path, body);
    expect(answer).toMatchObject({ status, text: told(error, code) });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("x-request-id")).toBe("r1");
  });

  test("of the content type", async () => {
    const answer = await send("POST", "/api/workspaces", "{}", { "content-type": "text/plain" });
    expect(answer).toMatchObject({
      status: 415,
      text: told("content type must be application/json", "UNSUPPORTED_MEDIA_TYPE"),
    });
  });

  test("405 says what is allowed, HEAD too", async () => {
    expect((await send("PUT", "/api/workspaces")).headers.get("allow")).toBe("GET, HEAD, POST");
    const head = await send("HEAD", "/api/workspaces?page=x");
    expect([head.status, head.text]).toEqual([400, ""]);
  });
});

describe("authentication comes first", () => {
  const refused = told("a valid security token is required", "UNAUTHENTICATED");

  test.each([
    ["no token", "", "GET", "/api/workspaces", undefined],
    ["another scheme", "Basic Z29vZA==", "GET", "/api/workspaces", undefined],
    ["no token, broken body", "", "POST", "/api/workspaces", "{"],
    ["an unknown token", "Bearer bad", "GET", "/api/workspaces", undefined],
    ["an unknown token, broken body", "Bearer bad", "POST", "/api/workspaces", "{"],
    ["an unknown token, broken path", "Bearer bad", "GET", "/api/workspaces/%ff", undefined],
    ["an unknown token, no body", "Bearer bad", "PUT", "/api/environments/1", undefined],
    ["a token that HTTP/2 cannot carry", "Bearer \u00e4", "GET", "/api/workspaces", undefined],
  ])("%s", async (_, authorization, method, path, body) => {
    const answer = await send(method, path, body, { authorization });
    expect(answer).toMatchObject({ status: 401, text: refused });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
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
      "this operation is not implemented yet",
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
    const answer = await send("GET", "/api/workspaces/1");
    expect(answer).toMatchObject({ status, text: told(text, code) });
    expect(answer.headers.get("retry-after")).toBe(status === 503 || status === 504 ? "1" : null);
  });

  test("a service that is silent is cut off at the deadline", async () => {
    behave = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject));
    expect(await send("GET", "/api/workspaces/1")).toMatchObject({ status: 504 });
  });

  test("a service that is not there is told at once", async () => {
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
    const ready = await get("/readyz");
    expect([ready.status, await ready.text()]).toEqual([503, "not reachable: workspace, environment, identity\n"]);
    expect((await get("/healthz")).status).toBe(200);
    await down.stop();
  });

  test("one service that is not there does not make the gateway unready", async () => {
    const half = await startGateway({
      host: "127.0.0.1",
      port: 0,
      workspaceUrl: "http://127.0.0.1:1",
      environmentUrl: fakes[1]?.url ?? "",
      identityUrl: fakes[1]?.url ?? "",
      telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
    });
    const ready = await fetch(half.url + "/readyz");
    expect([ready.status, await ready.text()]).toEqual([200, "not reachable: workspace\n"]);
    await half.stop();
  });
});

describe("a success", () => {
  test("of a create is 201 with Location and the record, to the byte", async () => {
    const answer = await send("POST", "/api/workspaces/", '{"organization_id":"o1","unknown":1}');
    expect(answer).toMatchObject({
      status: 201,
      text:
        '{"id":"w1","name":"","description":"","organizationId":"o1","owner":"","metadata":{},' +
        '"createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z","deletedAt":null}',
    });
    expect(answer.headers.get("location")).toBe("/api/workspaces/w1");
  });

  test("of a token shows its secret, and where the token is", async () => {
    const answer = await send("POST", "/api/identity/tokens", '{"name":"ci"}');
    expect([answer.status, answer.headers.get("location")]).toEqual([201, "/api/identity/tokens/t1"]);
    expect(JSON.parse(answer.text)).toMatchObject({ token: { id: "t1", name: "ci", revokedAt: null }, secret: "s" });
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

  test("the caller's token, context and trace go with the call, and nothing else does", async () => {
    const trace = { traceparent: "00-1", tracestate: "a=b", "service-current-orgid": "o2", cookie: "secret=1" };
    await send("GET", "/api/workspaces/1", undefined, trace);
    const headers = seen[0]?.headers;
    const names = ["authorization", "service-current-orgid", "x-request-id", "traceparent", "tracestate", "cookie"];
    expect(names.map((name) => headers?.get(name) ?? null)).toEqual(["Bearer good", "o2", "r1", "00-1", "a=b", null]);
  });
});

describe("the gateway's own pages", () => {
  test.each([
    ["/healthz", "text/plain; charset=utf-8"],
    ["/readyz", "text/plain; charset=utf-8"],
    ["/api/docs", "text/html; charset=utf-8"],
    ["/api/openapi.json", "application/json"],
  ])("%s", async (path, type) => {
    const answer = await send("GET", path, undefined, { authorization: "" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    const head = await send("HEAD", path);
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([
      200,
      "",
      answer.headers.get("content-length"),
    ]);
    expect((await send("POST", path)).headers.get("allow")).toBe("GET, HEAD");
  });

  test("/metrics counts by route, not by path", async () => {
    await send("GET", "/api/workspaces/secret-id");
    const { text } = await send("GET", "/metrics");
    expect(text).toMatch(
      /gateway_requests_total\{method="GET",route="\/api\/workspaces\/\{id\}",status="200",service="gateway"\} \d/,
    );
    expect(text).toContain("gateway_request_duration_seconds_bucket");
    expect(text).not.toContain("secret-id");
  });
});

test("a gateway that stops finishes what is in flight, and takes nothing new", async () => {
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
