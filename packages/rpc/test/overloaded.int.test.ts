import { codeOf, reasonOf } from "@cloud/access/errors";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DEFAULT_LIMITS } from "@cloud/runtime/limits";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "@jest/globals";
import { startAccessServer, TOKEN } from "./start-access-server.ts";

const AUTHORIZED = { headers: { authorization: "Bearer " + TOKEN } };

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

/** Starts a server with one call in flight, which ends when `release` is called, and a limit. */
async function occupy(maxInFlight: number) {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<{ allowed: boolean }>()];
  const server = await startAccessServer(
    async () => {
      begun.resolve();
      return await end.promise;
    },
    { limits: { ...DEFAULT_LIMITS, maxInFlight } },
  );
  resources.push(() => server.stop());
  const client = createClient(AccessService, createGrpcTransport({ baseUrl: server.url }));
  const first = client.checkAccess({}, AUTHORIZED);
  await begun.promise;
  const release = async () => {
    end.resolve({ allowed: true });
    return await first;
  };
  resources.push(release);
  return { url: server.url, release };
}

const transports = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
};

test.each(Object.entries(transports))(
  "%s: a call beyond the limit is refused; when one ends, there is room",
  async (_, transport) => {
    const { url, release } = await occupy(1);
    const client = createClient(AccessService, transport(url));
    const refusal = await client.checkAccess({}, AUTHORIZED).catch((error: unknown) => codeOf(reasonOf(error)));
    expect(refusal).toBe("OVERLOADED");
    await release();
    expect(await client.checkAccess({}, AUTHORIZED)).toMatchObject({ allowed: true });
  },
);

test("control: with a limit of two, the second call is not refused", async () => {
  const { url, release } = await occupy(2);
  const second = createClient(AccessService, transports.gRPC(url)).checkAccess({}, AUTHORIZED);
  await release();
  expect(await second).toMatchObject({ allowed: true });
});
