import {
  appendEvents,
  effect,
  listParked,
  messagingMigrations,
  replayParked,
  startConsumer,
  startRelay,
} from "@cloud/events";
import { connectNats } from "@cloud/events/nats";
import { createNatsUsers, type NatsUsers } from "@cloud/local-servers";
import { type Database, openDatabase } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { connectToNats, createTestDatabase, startTestNats, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { JetStreamManager } from "nats";

const STREAM = "CLOUD_EVENTS";
const DURABLE = "identity-cloud_v1_workspace_workspace_deleted";
const DEADLINE = { deadlineMs: 30_000 };

let resources: AsyncDisposableStack;
let publisher: Awaited<ReturnType<typeof startPublisher>>;
let applied: Map<string, number>;
let jsm: JetStreamManager;
/** The database of the identity service. */
let consuming: Database;
/** The event that fails. */
let obstructed = "";

/** The relay of the workspace service and the consumer of the identity service, each with its own user of NATS. */
beforeEach(() => start());

async function start(users?: NatsUsers): Promise<void> {
  resources = new AsyncDisposableStack();
  const nats = await startTestNats({ users });
  resources.defer(() => nats.stop());
  const operator = await connectToNats(nats.url);
  resources.defer(() => operator.close());
  jsm = await operator.jetstreamManager();
  publisher = await startPublisher(nats.urlOf("workspace"));
  applied = await startApplying(nats.urlOf("identity"));
}

afterEach(() => resources.disposeAsync());

async function openSchema(schema: string): Promise<Database> {
  const { log } = testTelemetry();
  const database = await createTestDatabase(schema);
  resources.defer(() => database.drop());
  await migrate({ url: database.ownerUrl, schema, sources: [messagingMigrations], log });
  const db = openDatabase({ url: database.ownerUrl, schema, applicationName: schema, log });
  resources.defer(() => db.close());
  return db;
}

async function startPublisher(url: string) {
  const telemetry = testTelemetry();
  const db = await openSchema("workspace");
  const transport = connectNats({ url, clientName: "workspace", telemetry });
  resources.defer(() => transport.close());
  const relay = startRelay({ db, transport, source: "workspace", telemetry });
  resources.defer(() => relay.stop());
  const metric = async (name: string) => {
    const { values } = (await telemetry.metrics.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const append = (ids: readonly string[]) =>
    db.transaction((tx) =>
      appendEvents(
        tx,
        WorkspaceDeletedSchema,
        ids.map((workspaceId) => ({ workspaceId })),
      ),
    );
  return { append, metric, transport, conditions: () => telemetry.conditions.list() };
}

async function startApplying(url: string): Promise<Map<string, number>> {
  const telemetry = testTelemetry();
  const db = await openSchema("identity");
  const transport = connectNats({ url, clientName: "identity", telemetry });
  resources.defer(() => transport.close());
  const counts = new Map<string, number>();
  const count = effect(WorkspaceDeletedSchema, async (_tx, { workspaceId }) => {
    if (workspaceId === obstructed) throw new Error("obstructed");
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  });
  const consumer = startConsumer({ db, transport, name: "identity", effects: [count], telemetry });
  resources.defer(() => consumer.stop());
  const relay = startRelay({ db, transport, source: "identity", telemetry });
  resources.defer(() => relay.stop());
  consuming = db;
  return counts;
}

const ids = (prefix: string) => Array.from({ length: 20 }, (_, n) => `${prefix}-${n}`);
const allApplied = (expected: readonly string[]) =>
  waitFor(() => expected.every((id) => applied.has(id)) || undefined, DEADLINE);
const metricReaches = (name: string, value: number) =>
  waitFor(async () => (await publisher.metric(name)) === value || undefined, DEADLINE);

test("the services create the stream and the durables, publish and consume", async () => {
  await publisher.append(ids("a"));
  await allApplied(ids("a"));
  const unacknowledged = async () => (await jsm.consumers.info(STREAM, DURABLE)).num_ack_pending;
  await waitFor(async () => (await unacknowledged()) === 0 || undefined, DEADLINE);
  expect([...applied.values()]).toEqual(Array(20).fill(1));
  expect(publisher.conditions()).toEqual([]);
});

test("the events of a stream that was deleted are published again", async () => {
  await publisher.append(ids("a"));
  await allApplied(ids("a"));
  await jsm.streams.delete(STREAM);
  await metricReaches("messaging_republished_total", 20);
  await publisher.append(ids("b"));
  await allApplied(ids("b"));
});

test("a durable that skips messages is deleted and created again", async () => {
  await publisher.append(ids("a"));
  await allApplied(ids("a"));
  await jsm.consumers.update(STREAM, DURABLE, { filter_subject: "cloud.v1.other" });
  await publisher.append(ids("b"));
  await allApplied(ids("b"));
}, 40_000);

test("a parked event of another service is replayed to the consumer that parked it", async () => {
  obstructed = "a-7";
  await publisher.append(ids("a"));
  const parked = await waitFor(async () => (await listParked(consuming))[0], DEADLINE);
  expect([parked.type, applied.has(obstructed)]).toEqual([WorkspaceDeletedSchema.typeName, false]);
  obstructed = "";
  expect(await replayParked(consuming, [parked.id])).toBe(1);
  await allApplied(ids("a"));
  expect([...applied.values()]).toEqual(Array(20).fill(1));
});

test("a stream that someone has changed is corrected", async () => {
  await publisher.append(ids("a"));
  await allApplied(ids("a"));
  await jsm.streams.update(STREAM, { max_msgs_per_subject: 1 });
  const limit = async () => (await jsm.streams.info(STREAM)).config.max_msgs_per_subject;
  await waitFor(async () => (await limit()) === -1 || undefined, DEADLINE);
  expect(publisher.conditions()).toEqual([]);
});

test("a difference of a stream that no service may update is a condition, until it is corrected", async () => {
  await resources.disposeAsync();
  await start(createNatsUsers({ mayUpdateStream: false }));
  await publisher.append(ids("a"));
  await allApplied(ids("a"));
  const subjects = (await jsm.streams.info(STREAM)).config.subjects;
  await jsm.streams.update(STREAM, { subjects: [...subjects, "other.>"] });
  const condition = await waitFor(() => publisher.conditions()[0], DEADLINE);
  expect(condition.name).toBe("stream-configuration");
  expect(condition.message).toContain(`Permissions Violation for Publish to "$JS.API.STREAM.UPDATE.${STREAM}"`);
  await jsm.streams.update(STREAM, { subjects });
  await waitFor(() => publisher.conditions().length === 0 || undefined, DEADLINE);
});
