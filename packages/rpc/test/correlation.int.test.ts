import { callerOf } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { RequestInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { correlate, currentCorrelation } from "@cloud/runtime/telemetry";
import { captureLog, waitFor } from "@cloud/testkit";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createServiceTransport, type RpcServer, type ServiceTransport } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";
import { OPERATOR, startUserServer, USER } from "./start-user-server.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const WITHIN = { deadlineMs: 30_000 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The correlation that the second program saw of each call. */
let seen: (string | undefined)[];
let back: RpcServer;
let peer: ServiceTransport;
let server: RpcServer;
let log: ReturnType<typeof captureLog>;

beforeEach(async () => {
  seen = [];
  log = captureLog();
  back = await startAccessServer(
    ({ userId }) => {
      const correlation = currentCorrelation();
      seen.push(correlation?.requestId, correlation?.traceparent, correlation?.tracestate);
      if (userId === "down") throw fail(Reason.UNAVAILABLE);
      return { allowed: true };
    },
    { telemetry: log.telemetry("back") },
  );
  peer = createServiceTransport({ url: back.url, serviceToken: TOKEN, deadlineMs: 30_000 });
  const access = createClient(AccessService, peer);
  server = await startUserServer({
    telemetry: log.telemetry("front"),
    services: [WorkspaceService, AccessService, UserService],
    routes: (router) =>
      router.service(WorkspaceService, {
        getWorkspace: async ({ id }, context) => {
          await callerOf(context).requireAccess(newId<OrganizationId>(), Reason.WORKSPACE_NOT_FOUND);
          await access.checkAccess({ userId: id });
          return { workspace: { id } };
        },
      }),
  });
});

afterEach(async () => {
  await server.stop();
  peer.close();
  await back.stop();
});

const transports: Readonly<Record<string, () => Transport>> = {
  "gRPC over h2c": () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web over HTTP/1.1": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  "Connect over h2c": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
  // As the programs of this system call each other: without the library's adapter.
  "Connect, plain": () =>
    createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", acceptCompression: [], useBinaryFormat: true }),
};

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => ConnectError.from(error),
  );

const idsIn = (error: ConnectError) => error.findDetails(RequestInfoSchema).map(({ requestId }) => requestId);

describe.each(Object.keys(transports))("%s", (name) => {
  const headers = { authorization: `Bearer ${OPERATOR}`, "x-request-id": "r-1" };
  const trace = { traceparent: TRACEPARENT, tracestate: "a=b" };
  const client = () => createClient(WorkspaceService, transports[name]?.() as Transport);

  test("the id and the trace reach the second hop, and the answer has the id", async () => {
    let answered: Headers | undefined;
    const onHeader = (header: Headers) => {
      answered = header;
    };
    await client().getWorkspace({ id: "w" }, { headers: { ...headers, ...trace }, onHeader });
    expect(seen).toEqual(["r-1", TRACEPARENT, "a=b"]);
    expect(answered?.get("x-request-id")).toBe("r-1");
    const lines = await waitFor(() => (log.of("r-1").length === 2 ? log.of("r-1") : undefined), WITHIN);
    expect(lines).toMatchObject([
      { service: "back", route: "workspace.v1.AccessService/CheckAccess", caller: "operator", status: 200, code: "OK" },
      { service: "front", route: "workspace.v1.WorkspaceService/GetWorkspace", caller: "operator", code: "OK" },
    ]);
    expect(lines.map((line) => line["traceId"])).toEqual(Array(2).fill(TRACEPARENT.slice(3, 35)));
  });

  test("an error behind the second hop has the id once, and lines in both programs", async () => {
    const error = await failureOf(client().getWorkspace({ id: "down" }, { headers }));
    expect([error.code, idsIn(error)]).toEqual([Code.Unavailable, ["r-1"]]);
    const lines = await waitFor(() => (log.of("r-1").length === 4 ? log.of("r-1") : undefined), WITHIN);
    const named = lines.map((line) => `${String(line["service"])}: ${line.msg} ${String(line["status"] ?? "")}`);
    expect(named.sort()).toEqual([
      "back: call failed ",
      "back: request 503",
      "front: call failed ",
      "front: request 503",
    ]);
  });

  test("a call without an id is given one; a refusal has it too, and a line without a caller", async () => {
    const unknown = await failureOf(client().getWorkspace({ id: "w" }, { headers: { authorization: "Bearer no" } }));
    const [requestId = ""] = idsIn(unknown);
    expect([unknown.code, requestId]).toEqual([Code.Unauthenticated, expect.stringMatching(UUID)]);
    const refused = await waitFor(() => log.of(requestId).find(({ msg }) => msg === "request"), WITHIN);
    expect(refused).toMatchObject({ status: 401, code: "UNAUTHENTICATED", caller: "" });
  });
});

test("what is no RPC has the id in a header, and a line that contains nothing of the path", async () => {
  const response = await fetch(`${server.url}/secret-path`, { headers: { "x-request-id": "r-2" } });
  expect([response.status, response.headers.get("x-request-id")]).toEqual([404, "r-2"]);
  const line = await waitFor(() => log.of("r-2")[0], WITHIN);
  expect(line).toMatchObject({ route: "none", status: 404, code: "HTTP_404", caller: "" });
  expect(JSON.stringify(log.all())).not.toContain("secret-path");
});

test("probes have no line", async () => {
  const health = await fetch(`${server.url}/grpc.health.v1.Health/Check`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": "r-3" },
    body: "{}",
  });
  expect([health.status, health.headers.get("x-request-id")]).toEqual([200, "r-3"]);
  await fetch(`${server.url}/end`, { headers: { "x-request-id": "r-4" } });
  await waitFor(() => log.of("r-4")[0], WITHIN);
  expect(log.of("r-3")).toEqual([]);
});

test("a call outside of a request sends no id, and is given one", async () => {
  await createClient(AccessService, peer).checkAccess({});
  expect(seen).toEqual([expect.stringMatching(UUID), "", ""]);
  await correlate(undefined, () => createClient(AccessService, peer).checkAccess({}));
  expect(seen[3]).not.toBe(seen[0]);
});

test("only the gateway receives the id of its caller", async () => {
  const get = async (mark: Record<string, string>) => {
    const response = await fetch(`${server.url}/workspace.v1.WorkspaceService/GetWorkspace`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${USER}`, ...mark },
      body: '{"id": "w"}',
    });
    return response.headers.get("x-cloud-caller-id");
  };
  expect(await get({ "x-cloud-caller": "user" })).toMatch(UUID);
  expect(await get({})).toBeNull();
});
