import { gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { codeOf, fail, reasonOf } from "@cloud/access/errors";
import { newId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type RpcServer, startRpcServer } from "../src/index.ts";
import { errorOf, frame, type Send, sendHttp1, sendHttp2 } from "./raw-call.ts";

const LIST = "/workspace.v1.WorkspaceService/ListWorkspaces";
let server: RpcServer;
let telemetry: Telemetry;
let logged: string[];
let handled: number;

beforeEach(async () => {
  logged = [];
  handled = 0;
  const count = () => {
    handled += 1;
    return {};
  };
  telemetry = createTelemetry({
    service: "test",
    level: "debug",
    destination: { write: (line) => void logged.push(line) },
    processMetrics: false,
  });
  server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [WorkspaceService, AccessService],
    routes: (router) => {
      router.service(WorkspaceService, { listWorkspaces: count, createWorkspace: count, updateWorkspace: count });
      router.service(AccessService, { checkAccess: count });
    },
    authenticate: async (bearer) => {
      if (bearer !== "a-user") throw fail(Reason.UNAUTHENTICATED);
      return create(AuthenticateResponseSchema, { userId: newId<UserId>() });
    },
    organizationIsLive: async () => true,
    serviceCredentials: [{ name: "operator", secret: "a-service-credential" }],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry,
  });
});
afterEach(() => server.stop());

/** A protocol on a version of HTTP, in one of its formats. */
interface Wire {
  readonly send: Send;
  readonly contentType: string;
}

const BINARY: readonly (readonly [string, Wire])[] = [
  ["gRPC", { send: sendHttp2, contentType: "application/grpc" }],
  ["gRPC-Web, HTTP/1.1", { send: sendHttp1, contentType: "application/grpc-web+proto" }],
  ["gRPC-Web, HTTP/2", { send: sendHttp2, contentType: "application/grpc-web+proto" }],
  ["Connect, HTTP/1.1", { send: sendHttp1, contentType: "application/proto" }],
  ["Connect, HTTP/2", { send: sendHttp2, contentType: "application/proto" }],
];
const JSON_TEXT: readonly (readonly [string, Wire])[] = [
  ["gRPC", { send: sendHttp2, contentType: "application/grpc+json" }],
  ["gRPC-Web", { send: sendHttp1, contentType: "application/grpc-web+json" }],
  ["Connect, HTTP/1.1", { send: sendHttp1, contentType: "application/json" }],
  ["Connect, HTTP/2", { send: sendHttp2, contentType: "application/json" }],
];

const isFramed = ({ contentType }: Wire) => contentType.startsWith("application/grpc");

async function refusalOf(wire: Wire, body: Uint8Array, { path = LIST, token = "a-user", headers = {} } = {}) {
  const authorization = token === "" ? {} : { authorization: "Bearer " + token };
  const sent = { "content-type": wire.contentType, te: "trailers", ...authorization, ...headers };
  const error = errorOf(await wire.send(server.url, { path, headers: sent, body }));
  return [error.code, codeOf(reasonOf(error)), error.rawMessage] as const;
}

const NOT_A_LIST_REQUEST = [
  Code.InvalidArgument,
  "INVALID_PARAMETER",
  "request message must be a valid workspace.v1.ListWorkspacesRequest",
];
const TOO_LARGE = [Code.ResourceExhausted, "BODY_TOO_LARGE", "request body is larger than 1 MiB"];

describe.each(BINARY)("a binary message over %s", (_name, wire) => {
  const message = (bytes: readonly number[]) => (isFramed(wire) ? frame(Buffer.from(bytes)) : Buffer.from(bytes));

  test.each([
    ["garbage", [0xff, 0xff, 0xff, 0xff]],
    ["a field that ends early", [0x0a, 0x20, 0x61]],
    ["a wire type that does not exist", [0x0f]],
    ["a text that is not UTF-8", [0x12, 0x01, 0xff]],
    ["the field number 0", [0x00, 0x00]],
  ])("%s is INVALID_ARGUMENT", async (_case, bytes) => {
    expect(await refusalOf(wire, message(bytes))).toEqual(NOT_A_LIST_REQUEST);
    expect(handled).toBe(0);
  });

  test("unauthenticated is all that a caller without a valid token learns", async () => {
    for (const token of ["", "unknown"]) {
      const [code, reason] = await refusalOf(wire, message([0xff]), { token });
      expect([code, reason]).toEqual([Code.Unauthenticated, "UNAUTHENTICATED"]);
    }
  });

  test("the audience of the RPC is checked first", async () => {
    const path = "/workspace.v1.AccessService/CheckAccess";
    expect((await refusalOf(wire, message([0xff]), { path }))[1]).toBe("SERVICE_CREDENTIAL_REQUIRED");
    const [code, , text] = await refusalOf(wire, message([0xff]), { path, token: "a-service-credential" });
    expect([code, text]).toEqual([
      Code.InvalidArgument,
      "request message must be a valid workspace.v1.CheckAccessRequest",
    ]);
  });

  test("an RPC that needs no token checks its message alone", async () => {
    const path = "/grpc.health.v1.Health/Check";
    const [code, , text] = await refusalOf(wire, message([0xff]), { path, token: "" });
    expect([code, text]).toEqual([
      Code.InvalidArgument,
      "request message must be a valid grpc.health.v1.HealthCheckRequest",
    ]);
  });

  test("bytes that are not of the declared compression are INVALID_ARGUMENT", async () => {
    const headers = { [isFramed(wire) ? "grpc-encoding" : "content-encoding"]: "gzip" };
    const cut = gzipSync(Buffer.from([0x12, 0x01, 0x61])).subarray(0, -9);
    for (const bytes of [Buffer.from("no gzip"), cut]) {
      const body = isFramed(wire) ? frame(bytes, { flags: 1 }) : bytes;
      expect(await refusalOf(wire, body, { headers })).toEqual(NOT_A_LIST_REQUEST);
    }
  });

  test("more than 2 MiB is RESOURCE_EXHAUSTED", async () => {
    const bytes = Buffer.alloc(2 * 1024 * 1024 + 1);
    expect(await refusalOf(wire, isFramed(wire) ? frame(bytes) : bytes)).toEqual(TOO_LARGE);
  });

  test("is counted like any refused call, and logs nothing", async () => {
    await refusalOf(wire, message([0xff]));
    const metrics = await telemetry.metrics.metrics();
    const counted = metrics.match(/^rpc_server_call_duration_seconds_count.* [1-9]\d*$/gm) ?? [];
    expect(counted).toHaveLength(1);
    expect(counted[0]).toMatch(/rpc_method="\S+\/ListWorkspaces",rpc_response_status_code="INVALID_ARGUMENT".* 1$/);
    expect(logged).toEqual([]);
  });
});

describe.each(BINARY.filter(([, wire]) => isFramed(wire)))("a frame over %s", (_name, wire) => {
  test.each([
    ["shorter than its prefix says", frame(Buffer.alloc(3), { length: 10 })],
    ["of less than a prefix", Buffer.alloc(3)],
    ["followed by a part of another one", Buffer.concat([frame(Buffer.alloc(0)), Buffer.alloc(3)])],
  ])("%s is INVALID_ARGUMENT", async (_case, body) => {
    expect(await refusalOf(wire, body)).toEqual(NOT_A_LIST_REQUEST);
    expect(handled).toBe(0);
  });
});

describe.each(BINARY.filter(([, wire]) => isFramed(wire)))("gRPC defines the code over %s", (_name, wire) => {
  const EMPTY = frame(Buffer.alloc(0));

  test.each([
    ["no message", Buffer.alloc(0), {}, Code.Unimplemented],
    ["two messages", Buffer.concat([EMPTY, EMPTY]), {}, Code.Unimplemented],
    ["an unknown compression", EMPTY, { "grpc-encoding": "lzma" }, Code.Unimplemented],
    ["a compressed message without a compression", frame(Buffer.from([0]), { flags: 1 }), {}, Code.Internal],
  ])("of %s", async (_case, body, headers, code) => {
    expect((await refusalOf(wire, body, { headers }))[0]).toBe(code);
    expect(handled).toBe(0);
  });

  test("of a deadline that is no number, whatever the message", async () => {
    for (const body of [EMPTY, frame(Buffer.from([0xff]))]) {
      const [code, , text] = await refusalOf(wire, body, { headers: { "grpc-timeout": "soon" } });
      expect([code, text]).toEqual([Code.InvalidArgument, "protocol error: invalid grpc timeout value: soon"]);
    }
  });
});

test("a stream ends with INVALID_ARGUMENT at a message that cannot be decoded", async () => {
  const wire = { send: sendHttp2, contentType: "application/grpc" };
  const [code, reason] = await refusalOf(wire, frame(Buffer.from([0xff])), { path: "/grpc.health.v1.Health/Watch" });
  expect([code, reason]).toEqual([Code.InvalidArgument, "INVALID_PARAMETER"]);
});

describe.each(JSON_TEXT)("a JSON message over %s", (_name, wire) => {
  const message = (text: string) => (isFramed(wire) ? frame(Buffer.from(text)) : Buffer.from(text));
  const INVALID_JSON = [Code.InvalidArgument, "INVALID_JSON", "request body is not valid JSON"];
  const invalid = (field: string) => [
    Code.InvalidArgument,
    "INVALID_PARAMETER",
    `${field} must be a value of its type, given at most once`,
  ];

  test.each([
    ["no JSON", "{", INVALID_JSON],
    ["nothing", "", INVALID_JSON],
    ["no object", "[]", NOT_A_LIST_REQUEST],
    ["a field of another type", '{"pageSize":"many"}', invalid("pageSize")],
    ["a field of another type, spelled as in proto", '{"page_size":"many"}', invalid("page_size")],
    ["a field in both spellings", '{"pageSize":1,"page_size":2}', invalid("pageSize")],
    ["the same key twice", '{"search":"a","search":"b"}', NOT_A_LIST_REQUEST],
    ["half of a surrogate pair, which no trailer can contain", '"\\ud800"', NOT_A_LIST_REQUEST],
  ])("%s is INVALID_ARGUMENT", async (_case, text, expected) => {
    expect(await refusalOf(wire, message(text))).toEqual(expected);
    expect((await refusalOf(wire, message(text), { token: "" }))[0]).toBe(Code.Unauthenticated);
    expect(handled).toBe(0);
    expect(logged).toEqual([]);
  });

  test("invalid UTF-8 is INVALID_ARGUMENT", async () => {
    const json = Buffer.from('{"search":"\xff"}', "latin1");
    expect(await refusalOf(wire, isFramed(wire) ? frame(json) : json)).toEqual(INVALID_JSON);
    expect(handled).toBe(0);
  });

  const UPDATE = "/workspace.v1.WorkspaceService/UpdateWorkspace";
  test.each([
    ["/workspace.v1.WorkspaceService/CreateWorkspace", '{"organizationId":"x","metadata":{"build":9007199254740993}}'],
    [UPDATE, '{"metadata":{"a":[{"b":-9007199254740993.0}]}}'],
    [UPDATE, '{"metadata":{"a":100000000000000000000001}}'],
    [UPDATE, '{"metadata":{"a":1e400}}'],
    [UPDATE, '{"metadata":{"a":90071992547409930e-1,"b":"\\""}}'],
  ])("a whole number that would be rounded is INVALID_ARGUMENT: %s %s", async (path, text) => {
    const refused = [
      Code.InvalidArgument,
      "INVALID_PARAMETER",
      "metadata must be of whole numbers that a double can hold",
    ];
    expect(await refusalOf(wire, message(text), { path })).toEqual(refused);
    const encoding = { [isFramed(wire) ? "grpc-encoding" : "content-encoding"]: "gzip" };
    const packed = isFramed(wire) ? frame(gzipSync(text), { flags: 1 }) : gzipSync(text);
    expect(await refusalOf(wire, packed, { path, headers: encoding })).toEqual(refused);
    expect((await refusalOf(wire, message(text), { path, token: "" }))[0]).toBe(Code.Unauthenticated);
    expect(handled).toBe(0);
  });

  test.each([
    '{"metadata":{"a":9007199254740992,"b":0.1,"c":1e23,"d":"9007199254740993","e":1e-400}}',
    '{"name":"1e400"}',
  ])("a number that is exact, or not whole, is taken: %s", async (text) => {
    await refusalOf(wire, message(text), { path: UPDATE });
    expect(handled).toBe(1);
  });

  test("an unknown field is ignored", async () => {
    await refusalOf(wire, message('{"colour":"red"}'));
    expect(handled).toBe(1);
  });
});
