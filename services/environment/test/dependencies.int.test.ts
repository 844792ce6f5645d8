import { newId, type OrganizationId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { createTestDatabase, type FaultProxy, startFaultProxy, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type EnvironmentProcess, startEnvironmentProcess } from "./environment-process.ts";
import { clientsFor } from "./fixture.ts";
import { type IdentityPeer, SERVICE_TOKEN, startIdentityPeer } from "./identity-peer.ts";
import { present } from "./records.ts";

const unavailable = "503 UNAVAILABLE: the service is temporarily unavailable";
const resources = new AsyncDisposableStack();
let identity: IdentityPeer;
let postgres: FaultProxy;
let service: EnvironmentProcess;

// In a process of its own: jest's modules do not recognize the errors of Node's sockets as errors.
beforeAll(async () => {
  const database = await createTestDatabase("environment");
  resources.defer(() => database.drop());
  identity = await startIdentityPeer();
  const url = new URL(database.url);
  postgres = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
  resources.defer(() => postgres.stop());
  url.host = `127.0.0.1:${postgres.port}`;
  service = await startEnvironmentProcess({
    DATABASE_URL: url.href,
    // Nobody listens there: the service serves without NATS, and its events wait in the outbox.
    NATS_URL: "nats://127.0.0.1:1",
    IDENTITY_URL: identity.url,
    SERVICE_TOKEN,
  });
});
afterAll(() => resources.disposeAsync());

test("serves without NATS, answers 503 without Postgres or identity, recovers, and stops when it is told", async () => {
  const { home } = identity;
  const [admin, system] = [clientsFor(service.url, "admin"), clientsFor(service.url, SERVICE_TOKEN)];
  const created = await admin.environments.createEnvironment({ organizationId: home });
  const { id } = present(created.environment);
  const get = (clients = admin) => refusal(clients.environments.getEnvironment({ id }));
  const ready = async () => (await fetch(service.url + "/readyz")).status;
  expect(await ready()).toBe(200);

  postgres.refuse();
  expect(await get()).toBe(unavailable);
  expect(await refusal(admin.environments.createEnvironment({ organizationId: home }))).toBe(unavailable);
  expect(await refusal(admin.environments.deleteEnvironment({ id }))).toBe(unavailable);
  expect(await ready()).toBe(503);
  postgres.heal();
  await waitFor(async () => ((await get()) === "not refused" ? true : undefined), { deadlineMs: 5_000 });
  expect(await ready()).toBe(200);

  // Silent instead of gone: who asks whether it is ready hears within a second.
  postgres.blackHole();
  const probed = await fetch(service.url + "/readyz", { signal: AbortSignal.timeout(1000) });
  expect(probed.status).toBe(503);
  postgres.heal();
  await waitFor(async () => ((await ready()) === 200 ? true : undefined), { deadlineMs: 5_000 });

  await identity.stop();
  expect(await get()).toBe(unavailable);
  expect(await refusal(system.environments.createEnvironment({ organizationId: home }))).toBe(unavailable);
  expect(await refusal(system.environments.listEnvironments({ orgId: "all" }))).toBe(unavailable);
  expect(await refusal(system.environments.getEnvironment({ id: newId<OrganizationId>() }))).toMatch(/^404/);
  expect(await get(system)).toBe("not refused");

  expect(await service.stop()).toBe(0);
});
