import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { type SqlText, sql, statement } from "@cloud/postgres";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { deleteOrganizationInBatches } from "@cloud/service/references";
import { createPeerOutbox, type PeerOutbox } from "@cloud/service/testing";
import { execute, startTestNats, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { nextDeletion, restoreNextOfOrganization } from "../src/events.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { linkCount, newConnection, newCredential, newEnvironment, newPlatformEnvironment } from "./records.ts";

const resources = new AsyncDisposableStack();
let fixture: Fixture;
const deleteAll = (id: OrganizationId) => deleteOrganizationInBatches(fixture.db, { id, actor: "" }, nextDeletion);
let outbox: PeerOutbox;

beforeAll(async () => {
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  fixture = await startFixture({ natsUrl: nats.urlOf("environment") });
  resources.defer(() => fixture.stop());
  outbox = createPeerOutbox("identity", nats.url);
  resources.defer(() => outbox.stop());
});
afterAll(() => resources.disposeAsync());

const count = async (text: SqlText, params: unknown[] = []) => (await execute(fixture.db, text, params)).rows.length;
const deletedEvents = sql`select from outbox where type = 'environment.v1.EnvironmentDeleted'`;
const live = (table: SqlText) => sql`select from ${table} where organization_id = $1 and deleted_at is null`;

async function publishDeletion(organizationId: OrganizationId, deliveries: number): Promise<void> {
  const actor = fixture.identity.users.provider;
  fixture.identity.deleted.add(organizationId); // other look-ups still find it, as if they came earlier
  await outbox.publish(OrganizationDeletedSchema, { organizationId, actor });
  await waitFor(async () => ((await count(sql`select from inbox`)) === deliveries ? true : undefined), {
    deadlineMs: 30_000,
  });
}

test("deletes everything in the organization and nothing in others; a second delivery changes nothing", async () => {
  const organizationId = newId<OrganizationId>();
  fixture.identity.organizations.set(organizationId, "");
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
    await publishDeletion(organizationId, delivery);
    for (const table of [sql`environments`, sql`connections`, sql`credentials`]) {
      expect(await count(live(table), [organizationId])).toBe(0);
    }
    expect(await linkCount(fixture)).toBe(1);
    // The request that deleted an environment has sent one event, and each of the three live ones has caused one.
    expect(await count(deletedEvents)).toBe(4);
  }
  const published = sql`${deletedEvents} and published_at is not null`;
  await waitFor(async () => ((await count(published)) === 4 ? true : undefined), { deadlineMs: 30_000 });
  expect(await refusal(fixture.member.environments.getEnvironment({ id: spared.id }))).toBe("not refused");

  // The look-ups of identity still find it here: only the tombstone refuses.
  const request = { organizationId };
  expect(await refusal(fixture.service.environments.createEnvironment(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.service.connections.createConnection(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.service.credentials.createCredential(request))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
  expect(await refusal(fixture.provider.environments.createEnvironment(request))).toBe(
    '403 PERMISSION_DENIED: permission "Create Environment" is required',
  );
});

test("a deletion that arrives before any record was created leaves its tombstone", async () => {
  const organizationId = newId<OrganizationId>();
  fixture.identity.organizations.set(organizationId, "");
  await publishDeletion(organizationId, 3);
  const refused = await refusal(fixture.service.environments.provisionEnvironment({ organizationId }));
  expect(refused).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
});

test("what is restored with its organization is as before, with other tags", async () => {
  const organizationId = newId<OrganizationId>();
  fixture.identity.organizations.set(organizationId, "");
  const [environment, credential] = [
    await newEnvironment(fixture, organizationId),
    await newCredential(fixture, organizationId),
  ];
  const connection = await newConnection(fixture, organizationId, { credentialId: credential.id });
  await deleteAll(organizationId);
  expect(await fixture.db.transaction((tx) => restoreNextOfOrganization(tx, organizationId, 10))).toBe(false);

  const { environments, credentials, connections } = fixture.service;
  const restored = [
    (await environments.getEnvironment({ id: environment.id })).environment,
    (await credentials.getCredential({ id: credential.id })).credential,
    (await connections.getConnection({ id: connection.id })).connection,
  ];
  const before = [environment, credential, connection];
  expect(restored).toEqual(before.map((record) => ({ ...record, etag: expect.any(String) })));
  expect(restored.filter((record) => before.some(({ etag }) => etag === record?.etag))).toEqual([]);
});

test("only the first deletion counts as one: the reconciler reports a repair if the event was lost, not if it was late", async () => {
  const organizationId = newId<OrganizationId>();
  const apply = () => deleteAll(organizationId);
  const selectVersion = statement<{
    xmin: string;
    deleted_at: Date;
  }>`select xmin::text, deleted_at from organizations where id = $1`;
  const version = async () => (await fixture.db.read(selectVersion, [organizationId])).rows;

  expect(await apply()).toBe(true);
  const [first] = await version();
  expect(await apply()).toBe(false);
  const [second] = await version();
  expect(second?.deleted_at).toEqual(first?.deleted_at);
  expect(second?.xmin).not.toBe(first?.xmin); // written again, which a reconciler about to clear it detects

  const concurrent = newId<OrganizationId>();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => deleteAll(concurrent)));
  expect(outcomes.filter(Boolean)).toHaveLength(1);
});

test("a deleted organization has no environments even before its event arrives", async () => {
  const deleted = newId<OrganizationId>();
  fixture.identity.organizations.set(deleted, "");
  const { id } = await newEnvironment(fixture, deleted);
  const { environments } = fixture.provider;
  const listed = async (orgId: string) =>
    (await environments.listEnvironments({ orgId, pageSize: 100n })).environments.map((environment) => environment.id);
  expect(await listed("all")).toContain(id);
  expect(await listed(deleted)).toEqual([id]);

  fixture.identity.organizations.delete(deleted);
  fixture.identity.deleted.add(deleted);
  expect(await listed("all")).not.toContain(id);
  expect(await refusal(listed(deleted))).not.toBe("not refused");
  expect(await refusal(environments.getEnvironment({ id }))).toMatch(/^404 ENVIRONMENT_NOT_FOUND/);
  expect(await refusal(environments.createEnvironment({ organizationId: deleted }))).toMatch(/^403/);
});
