import { create } from "@bufbuild/protobuf";
import { callerOf } from "@cloud/access";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  ExportOrganizationEventsResponseSchema,
  WorkspaceService,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { captureLog, waitFor } from "@cloud/testkit";
import type { HandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { frame, sendHttp1, sendHttp2 } from "./raw-call.ts";
import { OPERATOR, startUserServer } from "./start-user-server.ts";
import { bearer, emptyMessage, WIRES } from "./wires.ts";

const WITHIN = { deadlineMs: 30_000 };
const GET = "/workspace.v1.WorkspaceService/GetWorkspace";
const EXPORT = "/workspace.v1.WorkspaceService/ExportOrganizationEvents";
/** Long enough that the library compresses it. */
const NAME = "ä".repeat(2_000);

const log = captureLog();
let server: RpcServer;
let requests = 0;

const allow = (context: HandlerContext) =>
  callerOf(context).requireAccess(newId<OrganizationId>(), Reason.WORKSPACE_NOT_FOUND);

beforeAll(async () => {
  server = await startUserServer({
    telemetry: log.telemetry(),
    services: [WorkspaceService],
    routes: (router) =>
      router.service(WorkspaceService, {
        getWorkspace: async (_, context) => {
          await allow(context);
          return { workspace: { name: NAME } };
        },
        async *exportOrganizationEvents(_, context) {
          await allow(context);
          yield create(ExportOrganizationEventsResponseSchema, { cursor: NAME });
          yield create(ExportOrganizationEventsResponseSchema, { cursor: "end" });
        },
      }),
  });
});
afterAll(() => server.stop());

/** Returns a new id of a request, and the bytes of its line. */
function follow() {
  const requestId = `r-${++requests}`;
  const bytes = async () => {
    const line = await waitFor(() => log.of(requestId).find(({ msg }) => msg === "request"), WITHIN);
    return line["bytes"];
  };
  return { headers: { "x-request-id": requestId }, bytes };
}

describe.each(WIRES)("%s: the line has the bytes of", (_, wire) => {
  const call = async (path: string, own: Record<string, string>) => {
    const { headers, bytes } = follow();
    const type = { "content-type": wire.contentType };
    const body = emptyMessage(wire);
    const reply = await wire.send(server.url, { path, headers: { ...type, ...headers, ...own }, body });
    return { reply, received: reply.body.length, logged: await bytes() };
  };

  test("a reply", async () => {
    const { received, logged } = await call(GET, bearer(OPERATOR));
    expect(received).toBeGreaterThan(4_000);
    expect(logged).toBe(received);
  });

  test("a compressed reply, as it is sent", async () => {
    const names = { "accept-encoding": "gzip", "grpc-accept-encoding": "gzip" };
    const { received, logged } = await call(GET, { ...bearer(OPERATOR), ...names });
    expect(received).toBeLessThan(500);
    expect(logged).toBe(received);
  });

  test("a refusal", async () => {
    const { received, logged } = await call(GET, bearer("unknown"));
    expect(logged).toBe(received);
  });
});

test.each([
  ["gRPC", sendHttp2, "application/grpc"],
  ["gRPC-Web", sendHttp1, "application/grpc-web+proto"],
  ["Connect, HTTP/1.1", sendHttp1, "application/connect+proto"],
  ["Connect, HTTP/2", sendHttp2, "application/connect+proto"],
] as const)("%s: the line has the bytes of a stream", async (_, send, contentType) => {
  const { headers, bytes } = follow();
  const all = { "content-type": contentType, ...bearer(OPERATOR), ...headers };
  const reply = await send(server.url, { path: EXPORT, headers: all, body: frame(Buffer.alloc(0)) });
  expect(reply.body.length).toBeGreaterThan(4_000);
  expect(await bytes()).toBe(reply.body.length);
});

test("what is no RPC has its bytes, and HEAD none", async () => {
  const [got, asked] = [follow(), follow()];
  const text = await (await fetch(`${server.url}/no-such-path`, { headers: got.headers })).text();
  await fetch(`${server.url}/no-such-path`, { method: "HEAD", headers: asked.headers });
  expect(text.length).toBeGreaterThan(10);
  expect([await got.bytes(), await asked.bytes()]).toEqual([text.length, 0]);
});
