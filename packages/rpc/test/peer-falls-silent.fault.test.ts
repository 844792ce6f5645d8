import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { waitFor } from "@cloud/testkit";
import { startFaultProxy } from "@cloud/testkit/faults";
import { startClients } from "@cloud/testkit/figures";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { createServiceTransport } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";

test("a peer that falls silent fails the calls, whenever they are made, and nothing else; it is used again when it recovers", async () => {
  await using resources = new AsyncDisposableStack();
  const server = await startAccessServer(() => ({ allowed: true }));
  resources.defer(() => server.stop());
  const proxy = await startFaultProxy({ host: "127.0.0.1", port: server.port });
  resources.defer(() => proxy.stop());
  const transport = createServiceTransport({ url: `http://127.0.0.1:${proxy.port}`, serviceToken: TOKEN });
  resources.defer(async () => transport.close());
  const access = createClient(AccessService, transport);
  const failures: Reason[] = [];
  const call = () =>
    access.checkAccess({}).then(
      () => true,
      (error: unknown) => {
        failures.push(reasonOf(error));
        return false;
      },
    );

  // An error event without a listener would fail this test as an uncaught exception.
  const clients = startClients(20, 5, call);
  resources.defer(() => clients.stop());
  proxy.blackHole();
  await waitFor(() => (failures.length >= 40 ? true : undefined), { deadlineMs: 30_000 });
  proxy.heal();
  await waitFor(async () => (await call()) || undefined, { deadlineMs: 10_000 });
  expect(new Set(failures)).toEqual(new Set([Reason.UNAVAILABLE]));
}, 60_000);
