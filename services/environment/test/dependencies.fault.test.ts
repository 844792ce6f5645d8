import { fileURLToPath } from "node:url";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import {
  credentialOf,
  type IdentityPeer,
  present,
  SERVICE_TOKEN,
  startIdentityPeer,
  tokenOf,
} from "@cloud/service/testing";
import { createTestDatabase, type Program, startProgram, takeStablePort, waitFor } from "@cloud/testkit";
import { type FaultProxy, startFaultProxy } from "@cloud/testkit/faults";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { clientsFor } from "./fixture.ts";

const unavailable = "503 UNAVAILABLE: the service is temporarily unavailable";
const resources = new AsyncDisposableStack();
let identity: IdentityPeer;
let postgres: FaultProxy;
let service: Program;

// In a process of its own: jest's modules do not recognize the errors of Node's sockets as errors.
beforeAll(async () => {
  const database = await createTestDatabase("environment");
  resources.defer(() => database.drop());
  identity = await startIdentityPeer();
  const url = new URL(database.url);
  postgres = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
  resources.defer(() => postgres.stop());
  url.host = `127.0.0.1:${postgres.port}`;
  service = await startProgram({
    name: "environment",
    main: fileURLToPath(new URL("../src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      DATABASE_URL: url.href,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      // No server listens there: the service serves without NATS, and its events wait in the outbox.
      NATS_URL: "nats://127.0.0.1:1",
      IDENTITY_URL: identity.url,
      SERVICE_TOKEN: credentialOf("environment"),
      SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
      LAME_DUCK_MS: "0",
    },
  });
  resources.defer(() => service.close());
});
afterAll(() => resources.disposeAsync());

test("serves without NATS, returns 503 without Postgres or identity, recovers, and exits with 0 on SIGTERM", async () => {
  const { home } = identity;
  const [admin, system] = [clientsFor(service.url, tokenOf("admin")), clientsFor(service.url, SERVICE_TOKEN)];
  const created = await admin.environments.createEnvironment({ organizationId: home });
  const { id } = present(created.environment);
  const get = (clients = admin) => refusal(clients.environments.getEnvironment({ id }));
  const ready = async () => (await fetch(service.operatorUrl + "/readyz")).status;
  const becomes = (status: number) =>
    waitFor(async () => (await ready()) === status || undefined, { deadlineMs: 30_000 });
  expect(await ready()).toBe(200);

  postgres.refuse();
  expect(await get()).toBe(unavailable);
  expect(await refusal(admin.environments.createEnvironment({ organizationId: home }))).toBe(unavailable);
  expect(await refusal(admin.environments.deleteEnvironment({ id }))).toBe(unavailable);
  await becomes(503);
  postgres.heal();
  await waitFor(async () => ((await get()) === "not refused" ? true : undefined), { deadlineMs: 30_000 });
  await becomes(200);

  // Postgres is silent instead of refusing connections: the readiness probe still returns within a second.
  postgres.blackHole();
  const probe = async () =>
    (await fetch(service.operatorUrl + "/readyz", { signal: AbortSignal.timeout(1000) })).status;
  await waitFor(async () => (await probe()) === 503 || undefined, { deadlineMs: 30_000 });
  postgres.heal();
  await becomes(200);

  await identity.stop();
  expect(await get()).toBe(unavailable);
  expect(await refusal(system.environments.createEnvironment({ organizationId: home }))).toBe(unavailable);
  expect(await refusal(system.environments.listEnvironments({ orgId: "all" }))).toBe(unavailable);
  expect(await refusal(system.environments.getEnvironment({ id: newId<OrganizationId>() }))).toMatch(/^404/);
  expect(await get(system)).toBe("not refused");

  expect(await service.stop()).toBe(0);
});
