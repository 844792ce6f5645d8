import { callerOf } from "@cloud/access";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { testTelemetry } from "@cloud/testkit";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "@jest/globals";
import { startRpcServer } from "../src/index.ts";

const MIB = 1024 * 1024;
const TOKEN = "a-service-credential";

test("every body of 1 MiB with a Struct is within the limit of its RPC, however much it grows", async () => {
  await using resources = new AsyncDisposableStack();
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [EnvironmentService],
    routes: (router) =>
      router.service(EnvironmentService, {
        updateEnvironment: async (_request, context) => {
          await callerOf(context).requireAccess(newId<OrganizationId>(), Reason.ENVIRONMENT_NOT_FOUND);
          return {};
        },
      }),
    authenticate: () => Promise.reject(new Error("only services call")),
    organizationIsLive: async () => true,
    serviceCredentials: [{ name: "operator", secret: TOKEN }],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: testTelemetry(),
  });
  resources.defer(() => server.stop());
  const client = createClient(EnvironmentService, createGrpcTransport({ baseUrl: server.url }));
  const update = (metadata: { a: string | number[] }) =>
    client.updateEnvironment({ metadata }, { headers: { authorization: `Bearer ${TOKEN}` } }).then(
      () => "ok",
      (error: unknown) => codeOf(reasonOf(ConnectError.from(error))),
    );
  // 1 MiB of JSON: the name of the list, and as many zeros as fit.
  const zeros = { a: Array.from({ length: (MIB - 8) / 2 }, () => 0) };
  expect(JSON.stringify(zeros).length).toBeLessThanOrEqual(MIB);
  expect(await update(zeros)).toBe("ok");
  expect(await update({ a: "x".repeat(6 * MIB) })).toBe("BODY_TOO_LARGE");
});
