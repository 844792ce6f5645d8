import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createTelemetry } from "@cloud/telemetry";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { callerOf, codeOf, fail, type RpcServer, reasonOf, startRpcServer } from "../src/index.ts";

const SERVICE_TOKEN = "a-service-credential";
let server: RpcServer;

beforeEach(async () => {
  server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [WorkspaceService, AccessService],
    routes: (router) => {
      router.service(WorkspaceService, {
        getWorkspace: ({ id }, context) => {
          switch (id) {
            case "missing":
              throw fail(Reason.WORKSPACE_NOT_FOUND);
            case "broken":
              throw new Error('relation "secret_table" does not exist');
            default:
              return { workspace: { id, owner: callerOf(context).kind } };
          }
        },
      });
      router.service(AccessService, { checkAccess: () => ({ allowed: true }) });
    },
    authenticate: async () => {
      throw fail(Reason.UNAUTHENTICATED);
    },
    organizationIsLive: async () => true,
    serviceTokens: ["an-older-credential", SERVICE_TOKEN],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
  });
});
afterEach(() => server.stop());

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

  test("answers a call with an accepted service credential", async () => {
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

  test("an unforeseen error tells nothing", async () => {
    const error = await failureOf(client().getWorkspace({ id: "broken" }, bearer(SERVICE_TOKEN)));
    expect([error.code, error.rawMessage]).toEqual([Code.Internal, "internal error"]);
  });

  test("no token and an unknown token are UNAUTHENTICATED", async () => {
    for (const options of [{}, bearer("unknown"), { headers: { authorization: SERVICE_TOKEN } }]) {
      expect((await failureOf(client().getWorkspace({ id: "w" }, options))).code).toBe(Code.Unauthenticated);
    }
  });

  test("an RPC that nobody built is UNIMPLEMENTED", async () => {
    const error = await failureOf(client().deleteWorkspace({ id: "w" }, bearer(SERVICE_TOKEN)));
    expect([error.code, codeOf(reasonOf(error))]).toEqual([Code.Unimplemented, "UNIMPLEMENTED"]);
  });
});

test("an internal RPC is for service credentials only", async () => {
  const access = createClient(AccessService, createGrpcTransport({ baseUrl: server.url }));
  await expect(access.checkAccess({}, bearer(SERVICE_TOKEN))).resolves.toMatchObject({ allowed: true });
  expect((await failureOf(access.checkAccess({}, bearer("a-user")))).code).toBe(Code.PermissionDenied);
  expect((await failureOf(access.checkAccess({}))).code).toBe(Code.Unauthenticated);
});

test("the operator's pages answer without a token", async () => {
  const page = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, await response.text()] as const;
  };
  expect(await page("/healthz")).toEqual([200, "ok\n"]);
  expect(await page("/readyz")).toEqual([200, "ready\n"]);
  expect((await page("/metrics"))[0]).toBe(200);
  expect(await page("/elsewhere")).toEqual([404, "no such path\n"]);
});

test("stopping closes idle connections of both protocols at once", async () => {
  await (await fetch(server.url + "/healthz")).text();
  await createClient(WorkspaceService, createGrpcTransport({ baseUrl: server.url })).getWorkspace(
    { id: "w" },
    bearer(SERVICE_TOKEN),
  );
  await server.stop();
  await expect(fetch(server.url + "/healthz")).rejects.toThrow();
}, 5_000);
