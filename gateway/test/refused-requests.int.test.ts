import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { CALLER_MARK, fail, TOKEN_PREFIX } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry } from "@cloud/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { type FakeService, startFakeService, tokenOf } from "./fake-services.ts";

const bearer = (name: string) => `Bearer ${TOKEN_PREFIX}${name.padEnd(43, "_")}`;
const LARGE = 2 ** 20;
let gateway: Gateway;
let fakes: FakeService[];
let calls: { rpc: string; headers: Headers }[];
const sockets: Socket[] = [];

function serve(rpc: string, context: HandlerContext) {
  calls.push({ rpc, headers: context.requestHeader });
  if (tokenOf(context) !== bearer("good")) throw fail(Reason.UNAUTHENTICATED);
}

beforeAll(async () => {
  const workspace = await startFakeService((router) => {
    router.service(WorkspaceService, {
      createWorkspace: (_request, context) => {
        serve("CreateWorkspace", context);
        return { workspace: { id: "w" } };
      },
    });
  });
  const identity = await startFakeService((router) => {
    router.service(UserService, {
      getProfile: (_request, context) => {
        serve("GetProfile", context);
        return { profile: { id: "u" } };
      },
    });
  });
  fakes = [workspace, identity];
  gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    workspaceUrl: workspace.url,
    environmentUrl: workspace.url,
    identityUrl: identity.url,
    telemetry: createTelemetry({ service: "gateway", level: "silent", processMetrics: false }),
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(fakes.map((fake) => fake.stop()));
});
beforeEach(() => {
  calls = [];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const rpcs = () => calls.map(({ rpc }) => rpc);
const UNAUTHENTICATED = /^HTTP\/1\.1 401 [\s\S]*"a valid security token is required","code":"UNAUTHENTICATED"/;

function open(...lines: readonly string[]): Socket {
  const socket = connect(gateway.port, "127.0.0.1");
  sockets.push(socket);
  socket.write([...lines, "", ""].join("\r\n"));
  return socket;
}

const post = (authorization: string, ...lines: readonly string[]) =>
  open("POST /api/workspaces HTTP/1.1", "Host: a", `Authorization: ${authorization}`, ...lines);

/** Returns the first data on a connection. */
const firstReply = async (socket: Socket) => String((await once(socket, "data"))[0]);

describe("a token", () => {
  test.each([
    "Bearer garbage",
    "Bearer credential-of-operator",
    `Bearer ${TOKEN_PREFIX}${"x".repeat(42)}`,
    `Bearer ${TOKEN_PREFIX}${"x".repeat(44)}`,
    `Bearer ${TOKEN_PREFIX}${"x".repeat(42)}+`,
  ])("of another form is refused without a call: %s", async (authorization) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(gateway.url + "/api/workspaces", { method: "POST", headers, body: "{" });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(calls).toEqual([]);
  });

  test("is forwarded with the mark of a user's call, whatever the client sends", async () => {
    const headers = { authorization: bearer("good"), [CALLER_MARK.header]: "service" };
    await fetch(gateway.url + "/api/workspaces", { method: "POST", headers, body: "{" });
    await fetch(gateway.url + "/api/workspaces", { method: "POST", headers });
    expect(rpcs()).toEqual(["GetProfile", "CreateWorkspace"]);
    expect(calls.map((call) => call.headers.get(CALLER_MARK.header))).toEqual(["user", "user"]);
  });
});

describe("a body of more than 16 KiB", () => {
  test("is not read for an unknown token: the response precedes it", async () => {
    const socket = post(bearer("bad"), `Content-Length: ${LARGE}`);
    expect(await firstReply(socket)).toMatch(UNAUTHENTICATED);
    expect(rpcs()).toEqual(["GetProfile"]);
  });

  test("is not read further for an unknown token once it is known to be larger", async () => {
    const socket = post(bearer("bad"), "Transfer-Encoding: chunked");
    socket.write(`4001\r\n${" ".repeat(0x4001)}\r\n`);
    expect(await firstReply(socket)).toMatch(UNAUTHENTICATED);
  });

  test("may be sent completely before the response is read", async () => {
    const socket = post(bearer("bad"), `Content-Length: ${LARGE}`);
    const body = Buffer.alloc(LARGE);
    await new Promise((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve(error))));
    expect(await text(socket)).toMatch(UNAUTHENTICATED); // rejects with an error of the socket
  });

  test("of a known token is served, in one piece or in chunks", async () => {
    const body = JSON.stringify({ name: "n", description: "x".repeat(20_000) });
    const socket = post(bearer("good"), "Transfer-Encoding: chunked", "Connection: close");
    for (const byte of [body.slice(0, 0x4000), body.slice(0x4000)]) {
      socket.write(`${byte.length.toString(16)}\r\n${byte}\r\n`);
    }
    socket.write("0\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /);
    expect(rpcs()).toEqual(["GetProfile", "CreateWorkspace"]);
    const whole = post(bearer("good"), `Content-Length: ${body.length}`, "Connection: close");
    whole.write(body);
    expect(await text(whole)).toMatch(/^HTTP\/1\.1 201 /);
  });

  test("that is malformed costs one question to identity", async () => {
    const socket = post(bearer("good"), `Content-Length: ${LARGE}`, "Connection: close");
    socket.write(Buffer.alloc(LARGE, "["));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*INVALID_JSON/);
    expect(rpcs()).toEqual(["GetProfile"]);
  });
});

test("a smaller body is read without a question to identity", async () => {
  const headers = { authorization: bearer("good"), "content-type": "application/json" };
  const body = JSON.stringify({ description: "x".repeat(16_000) });
  const response = await fetch(gateway.url + "/api/workspaces", { method: "POST", headers, body });
  expect(response.status).toBe(201);
  expect(rpcs()).toEqual(["CreateWorkspace"]);
});

describe("a request that two programs could understand differently is refused", () => {
  const authorization = `Authorization: ${bearer("good")}`;
  const get = (path: string, ...lines: readonly string[]) =>
    text(open(`GET ${path} HTTP/1.1`, "Host: a", "Connection: close", ...lines));

  test.each([
    ["Authorization", [authorization, `authorization: ${bearer("other")}`]],
    ["service-current-orgid", [authorization, "service-current-orgid: a", "Service-Current-OrgId: a"]],
    ["Host", [authorization, "host: b"]],
  ] as const)("with a second header %s", async (name, lines) => {
    for (const path of ["/api/workspaces?orgId=a", "/nowhere", "/healthz"]) {
      const response = await get(path, ...lines);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response).toContain(`{"error":"header ${name} must be given once","code":"INVALID_PARAMETER"`);
    }
    expect(calls).toEqual([]);
  });

  test("with a second Content-Length, by Node itself", async () => {
    const socket = post(bearer("good"), "Content-Length: 2", "Content-Length: 2");
    socket.write("{}");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(calls).toEqual([]);
  });

  test.each(["2.0", "1.2", "0.9"])("with a request line of HTTP/%s", async (version) => {
    const response = await text(open(`GET /healthz HTTP/${version}`, "Host: a", "Connection: close"));
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test("headers over 16 KiB are refused as the OpenAPI document describes: 431 without a body", async () => {
  const response = await text(open("GET /api/workspaces HTTP/1.1", "Host: a", `X-Long: ${"x".repeat(20_000)}`));
  expect(response).toMatch(/^HTTP\/1\.1 431 [^\r]*\r\nConnection: close\r\n\r\n$/);
  expect(calls).toEqual([]);
});
