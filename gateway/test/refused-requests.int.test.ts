import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { fail } from "@cloud/access/errors";
import { CALLER_MARK, TOKEN_PREFIX } from "@cloud/access/principal";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { listen } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { refuseUnparsed } from "../src/refuse-unparsed.ts";
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
    ["Idempotency-Key", [authorization, "idempotency-key: a", "Idempotency-Key: a"]],
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

describe("what Node's parser refuses gets the gateway's error body", () => {
  const error = (response: string) => {
    const [head = "", body = ""] = response.split("\r\n\r\n");
    const { requestId, ...rest } = JSON.parse(body) as Record<string, string>;
    expect(head).toMatch(/^Content-Type: application\/json$/m);
    expect(head).toMatch(/^Connection: close$/m);
    expect(head).toContain(`X-Request-Id: ${requestId}`);
    return [Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), rest["code"], rest["error"]];
  };
  const MALFORMED = [400, "MALFORMED_REQUEST", "the request is not valid HTTP"];
  const TOO_LARGE = [431, "HEADERS_TOO_LARGE", "the request headers are larger than 16 KiB"];

  test.each([
    ["bytes outside ASCII in the path", ["GET /api/\u00e9 HTTP/1.1", "Host: a"], MALFORMED],
    ["a header without a colon", ["GET /api/workspaces HTTP/1.1", "Host: a", "broken"], MALFORMED],
    ["headers over 16 KiB", ["GET /api/workspaces HTTP/1.1", "Host: a", `A: ${"a".repeat(20_000)}`], TOO_LARGE],
    ["a path over 16 KiB", [`GET /api/${"a".repeat(20_000)} HTTP/1.1`, "Host: a"], TOO_LARGE],
    [
      "no Host",
      ["GET /api/workspaces HTTP/1.1", "Connection: close"],
      [400, "INVALID_PARAMETER", "header Host must be given once"],
    ],
  ] as const)("%s", async (_case, lines, expected) => {
    expect(error(await text(open(...lines)))).toEqual(expected);
  });

  test("once, however much the client goes on sending", async () => {
    const socket = open("GET /api/workspaces HTTP/1.1", "Host: a", "broken");
    for (let chunk = 0; chunk < 20; chunk++) socket.write("x".repeat(10_000));
    expect(error(await text(socket))).toEqual(MALFORMED);
  });

  test("after the response to an earlier request of the connection", async () => {
    const response = await text(open("GET /healthz HTTP/1.1", "Host: a", "", "GET /\u00e9 HTTP/1.1", "Host: a"));
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(error(response.slice(response.indexOf("HTTP/1.1 400")))).toEqual(MALFORMED);
  });

  test("also a chunk of a wrong size in the body of a request", async () => {
    const socket = post(bearer("good"), "Transfer-Encoding: chunked");
    socket.write("zz\r\n{}\r\n0\r\n\r\n");
    expect(error(await text(socket))).toEqual(MALFORMED);
    expect(rpcs()).not.toContain("CreateWorkspace");
  });

  test("unless it has been refused already: that response is sent completely", async () => {
    const socket = open("POST /api/workspaces HTTP/1.1", "Host: a", "Transfer-Encoding: chunked");
    socket.write("zz\r\n{}\r\n0\r\n\r\n");
    expect(error(await text(socket))).toEqual([401, "UNAUTHENTICATED", "a valid security token is required"]);
  });

  test("also a request that is not sent in time", async () => {
    const server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 });
    refuseUnparsed(server, { access: undefined });
    const { port, close } = await listen(server, "127.0.0.1", 0);
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.write("GET /api/workspaces HTTP/1.1\r\n");
    expect(error(await text(socket))).toEqual([408, "REQUEST_TIMEOUT", "the request was not sent in time"]);
    await close();
  });
});
