import { once } from "node:events";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { callerOf } from "@cloud/access";
import { codeOf, fail, reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Health, HealthCheckResponse_ServingStatus } from "@cloud/proto/grpc/health/v1/health_pb";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../src/index.ts";

const { SERVING } = HealthCheckResponse_ServingStatus;
const SERVICE_TOKEN = "a-service-credential";
let server: RpcServer;

const OPTIONS: Omit<RpcServerOptions, "routes" | "services"> = {
  host: "127.0.0.1",
  port: 0,
  authenticate: async (bearer) => {
    if (bearer !== "a-user") throw fail(Reason.UNAUTHENTICATED);
    return create(AuthenticateResponseSchema, { userId: newId<UserId>() });
  },
  organizationIsLive: async () => true,
  serviceCredentials: [
    { name: "operator", secret: "an-older-credential" },
    { name: "operator", secret: SERVICE_TOKEN },
  ],
  checkReady: async () => undefined,
  translate: () => undefined,
  telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
};

beforeEach(async () => {
  server = await startRpcServer({
    ...OPTIONS,
    services: [WorkspaceService, AccessService],
    // A registry of metrics takes each metric once.
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
    routes: (router) => {
      router.service(WorkspaceService, {
        getWorkspace: async ({ id }, context) => {
          await callerOf(context).requireAccess(newId<OrganizationId>(), Reason.WORKSPACE_NOT_FOUND);
          switch (id) {
            case "missing":
              throw fail(Reason.WORKSPACE_NOT_FOUND);
            case "broken":
              throw new Error('relation "secret_table" does not exist');
            default:
              return { workspace: { id, owner: callerOf(context).type } };
          }
        },
      });
      router.service(AccessService, { checkAccess: () => ({ allowed: true }) });
    },
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  await server.stop();
});

const transports: Readonly<Record<string, () => Transport>> = {
  "gRPC over h2c": () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web over HTTP/1.1": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  "Connect over HTTP/1.1": () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  "Connect over h2c": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
};

const bearer = (token: string) => ({ headers: { authorization: "Bearer " + token } });

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => ConnectError.from(error),
  );
}

describe.each(Object.keys(transports))("one port: %s", (name) => {
  const client = () => createClient(WorkspaceService, transports[name]?.() as Transport);

  test("accepts a call with a valid service credential", async () => {
    for (const token of [SERVICE_TOKEN, "an-older-credential"]) {
      const { workspace } = await client().getWorkspace({ id: "w" }, bearer(token));
      expect(workspace).toMatchObject({ id: "w", owner: "service" });
    }
  });

  test("an error has its code, text and reason", async () => {
    const error = await failureOf(client().getWorkspace({ id: "missing" }, bearer(SERVICE_TOKEN)));
    expect([error.code, error.rawMessage, codeOf(reasonOf(error))]).toEqual([
      Code.NotFound,
      "workspace not found",
      "WORKSPACE_NOT_FOUND",
    ]);
  });

  test("an unexpected error reveals nothing", async () => {
    const error = await failureOf(client().getWorkspace({ id: "broken" }, bearer(SERVICE_TOKEN)));
    expect([error.code, error.rawMessage]).toEqual([Code.Internal, "internal error"]);
  });

  test("no token and an unknown token are UNAUTHENTICATED", async () => {
    for (const options of [{}, bearer("unknown"), { headers: { authorization: SERVICE_TOKEN } }]) {
      expect((await failureOf(client().getWorkspace({ id: "w" }, options))).code).toBe(Code.Unauthenticated);
    }
  });

  test("a generous deadline of the caller is served", async () => {
    const options = { ...bearer(SERVICE_TOKEN), timeoutMs: 60_000 };
    await expect(client().getWorkspace({ id: "w" }, options)).resolves.toMatchObject({ workspace: { id: "w" } });
    const health = createClient(Health, transports[name]?.() as Transport);
    for (const timeoutMs of [60_000, 86_400_000]) {
      await expect(health.check({}, { timeoutMs })).resolves.toMatchObject({ status: SERVING });
    }
  });

  test("an RPC without a handler is UNIMPLEMENTED", async () => {
    const error = await failureOf(client().deleteWorkspace({ id: "w" }, bearer(SERVICE_TOKEN)));
    expect([error.code, codeOf(reasonOf(error))]).toEqual([Code.Unimplemented, "UNIMPLEMENTED"]);
  });
});

test("an internal RPC is for service credentials only", async () => {
  const access = createClient(AccessService, createGrpcTransport({ baseUrl: server.url }));
  await expect(access.checkAccess({}, bearer(SERVICE_TOKEN))).resolves.toMatchObject({ allowed: true });
  expect((await failureOf(access.checkAccess({}, bearer("a-user")))).code).toBe(Code.PermissionDenied);
  // Authentication precedes authorization.
  expect((await failureOf(access.checkAccess({}, bearer("unknown")))).code).toBe(Code.Unauthenticated);
  expect((await failureOf(access.checkAccess({}))).code).toBe(Code.Unauthenticated);
});

test.each(["/healthz", "/readyz", "/metrics", "/elsewhere"])(
  "there is no %s: operators have a port of their own",
  async (path) => {
    const response = await fetch(server.url + path);
    expect([response.status, await response.text()]).toEqual([404, "no such path\n"]);
  },
);

describe("readiness", () => {
  test("is one check for 200 that ask, by grpc.health.v1, its watchers and the operator's page", async () => {
    let checks = 0;
    const checked = await startRpcServer({
      ...OPTIONS,
      services: [AccessService],
      routes: (router) => router.service(AccessService, {}),
      checkReady: async () => void checks++,
      telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
    });
    const health = createClient(Health, createGrpcTransport({ baseUrl: checked.url }));
    const watching = new AbortController();
    const firstStatus = async () => {
      for await (const { status } of health.watch({}, { signal: watching.signal })) return status;
      return undefined;
    };
    const asks = [() => health.check({}), () => health.list({}), () => checked.readiness(), firstStatus];
    jest.spyOn(performance, "now").mockReturnValue(0); // all of it happens within a second
    const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => asks[index % asks.length]?.()));
    expect(replies).not.toContain(undefined);
    expect(checks).toBe(1);
    watching.abort();
    await checked.stop();
  });

  test("is lost at once when the server leaves", async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
    expect((await health.check({})).status).toBe(HealthCheckResponse_ServingStatus.SERVING);
    server.beginDrain();
    expect((await health.check({})).status).toBe(HealthCheckResponse_ServingStatus.NOT_SERVING);
  });
});

test("stopping closes idle connections of both protocols immediately", async () => {
  const idle = connect(server.port, "127.0.0.1");
  idle.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await once(idle, "data");
  await createClient(WorkspaceService, createGrpcTransport({ baseUrl: server.url })).getWorkspace(
    { id: "w" },
    bearer(SERVICE_TOKEN),
  );
  // The 10 s that requests in flight have do not pass.
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance", "Date"] });
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow();
});

test("a service with an RPC that does not declare who may call it does not start", async () => {
  const undeclared = startRpcServer({
    ...OPTIONS,
    services: [Health],
    routes: (router) => router.service(Health, { check: () => ({}) }),
  });
  await expect(undeclared).rejects.toThrow("grpc.health.v1.Health.Check: declare (cloud.api.v1.scope)");
});
