import { fileURLToPath } from "node:url";
import { appendEvent, connectNats, messagingMigrations, startRelay } from "@cloud/messaging";
import { type Database, migrate, openDatabase } from "@cloud/postgres";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { newId, type OrganizationId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { createTestDatabase, startTestNats, testTelemetry, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { linkCount, newConnection, newCredential, newEnvironment, newPlatformEnvironment } from "./records.ts";

const resources = new AsyncDisposableStack();
let fixture: Fixture;
let outbox: Database;

beforeAll(async () => {
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  fixture = await startFixture({ natsUrl: nats.url });
  resources.defer(() => fixture.stop());
  outbox = await startIdentityOutbox(nats.url);
});
afterAll(() => resources.disposeAsync());

/** An outbox and relay as identity has them, so that the event comes the way it comes in production. */
async function startIdentityOutbox(natsUrl: string): Promise<Database> {
  const telemetry = testTelemetry();
  const database = await createTestDatabase("identity");
  resources.defer(() => database.drop());
  const place = { url: database.url, schema: "identity", log: telemetry.log };
  await migrate({ ...place, sources: [messagingMigrations] });
  const db = openDatabase({ ...place, applicationName: fileURLToPath(import.meta.url).slice(-20) });
  resources.defer(() => db.close());
  const transport = connectNats({ url: natsUrl, clientName: "identity", telemetry });
  resources.defer(async () => transport.close());
  const relay = startRelay({ db, transport, source: "identity", telemetry });
  resources.defer(() => relay.stop());
  return db;
}

const count = async (text: string, params: unknown[] = []) => (await fixture.db.query(text, params)).rows.length;
const deletedEvents = "select from outbox where type = 'environment.v1.EnvironmentDeleted'";
const live = (table: string) => "select from " + table + " where organization_id = $1 and deleted_at is null";

async function tellDeleted(organizationId: OrganizationId, deliveries: number): Promise<void> {
  const actor = fixture.identity.users.provider;
  await outbox.withTransaction((tx) => appendEvent(tx, OrganizationDeletedSchema, { organizationId, actor }));
  await waitFor(async () => ((await count("select from inbox")) === deliveries ? true : undefined), {
    deadlineMs: 15_000,
  });
}

test("everything in the organization goes, other organizations stay, and a second delivery changes nothing", async () => {
  const organizationId = newId<OrganizationId>();
  fixture.identity.found(organizationId);
  const environments = [
    await newEnvironment(fixture, organizationId),
    await newEnvironment(fixture, organizationId),
    await newPlatformEnvironment(fixture, organizationId),
  ];
  const deleted = await newEnvironment(fixture, organizationId);
  await fixture.service.environments.deleteEnvironment({ id: deleted.id });
  const credential = await newCredential(fixture, organizationId);
  const connection = await newConnection(fixture, organizationId, { credentialId: credential.id });
  await fixture.service.environments.assignConnection({ id: environments[0]?.id ?? "", connectionId: connection.id });
  const { home } = fixture.identity;
  const [spared, sparedConnection] = [await newEnvironment(fixture, home), await newConnection(fixture, home)];
  await fixture.admin.environments.assignConnection({ id: spared.id, connectionId: sparedConnection.id });

  for (const delivery of [1, 2]) {
    await tellDeleted(organizationId, delivery);
    for (const table of ["environments", "connections", "credentials"]) {
      expect(await count(live(table), [organizationId])).toBe(0);
    }
    expect(await linkCount(fixture)).toBe(1);
    // One of the request that deleted one, and one for each of the three that were live.
    expect(await count(deletedEvents)).toBe(4);
  }
  const published = deletedEvents + " and published_at is not null";
  await waitFor(async () => ((await count(published)) === 4 ? true : undefined), { deadlineMs: 15_000 });
  expect(await refusal(fixture.member.environments.getEnvironment({ id: spared.id }))).toBe("not refused");

  // Identity still calls it live here: the tombstone alone refuses.
  const request = { organizationId };
  expect(await refusal(fixture.service.environments.createEnvironment(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.service.connections.createConnection(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.service.credentials.createCredential(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.provider.environments.createEnvironment(request))).toBe(
    '403 PERMISSION_DENIED: permission "Create Environment" is required',
  );
});

test("a deletion that comes before anything was created leaves its tombstone", async () => {
  const organizationId = newId<OrganizationId>();
  fixture.identity.found(organizationId);
  await tellDeleted(organizationId, 3);
  const refused = await refusal(fixture.service.environments.provisionEnvironment({ organizationId }));
  expect(refused).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
});
