import { connectToNats } from "@cloud/testkit";
import { AckPolicy, type JetStreamClient, type NatsConnection } from "nats";
import pg from "pg";
import type { System } from "../../test/chaos/system/start-system.ts";

export interface PlainLoopFigures {
  readonly publishedPerSecond: number;
  readonly appliedPerSecond: number;
}

/** Events in a page of the outbox, and unacknowledged ones; that of the relay. */
const PAGE = 250;
/** Events in a transaction of the receiver, as many as a consumer of the services takes. */
const BATCH = 100;

const STREAM = "PLAIN";
const SUBJECT = "plain.deleted";

/**
 * Measures the same way of events by the plainest loops: one reads pages of an outbox, publishes them and records that,
 * and one inserts each message by a statement of its own, in transactions, and acknowledges it. They have no leases,
 * metrics, retries or questions to an owner, and delete no links.
 */
export async function measurePlainLoop(system: System, events: number): Promise<PlainLoopFigures> {
  await using resources = new AsyncDisposableStack();
  const client = new pg.Client(system.databaseUrl);
  await client.connect();
  resources.defer(() => client.end());
  const nc = await connectToNats(system.nats.url);
  resources.defer(() => nc.close());
  await createPlaces(client, nc, events);
  resources.defer(() => removePlaces(client, nc));
  const publishing = await secondsOf(() => publishAll(client, nc.jetstream()));
  const applying = await secondsOf(() => applyAll(client, nc, events));
  return { publishedPerSecond: events / publishing, appliedPerSecond: events / applying };
}

async function createPlaces(client: pg.Client, nc: NatsConnection, events: number): Promise<void> {
  await client.query(`
    create schema plain;
    create table plain.outbox (id uuid primary key, payload bytea not null, published_at timestamptz);
    create index outbox_unpublished on plain.outbox (id) where published_at is null;
    create table plain.inbox (id uuid primary key, payload bytea not null)`);
  // As long as an event of a deletion with its ids.
  const text = `
    insert into plain.outbox (id, payload)
    select gen_random_uuid(), decode(repeat('ab', 120), 'hex')
    from generate_series(1, $1::integer)`;
  await client.query(text, [events]);
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: STREAM, subjects: [SUBJECT] });
  await jsm.consumers.add(STREAM, { durable_name: STREAM, ack_policy: AckPolicy.Explicit, max_ack_pending: 1_024 });
}

async function removePlaces(client: pg.Client, nc: NatsConnection): Promise<void> {
  await client.query("drop schema plain cascade");
  await (await nc.jetstreamManager()).streams.delete(STREAM);
}

async function publishAll(client: pg.Client, js: JetStreamClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ id: string; payload: Buffer }>({
      name: "page",
      text: `select id, payload from plain.outbox where published_at is null order by id limit ${PAGE}`,
    });
    if (rows.length === 0) return;
    await Promise.all(rows.map(({ id, payload }) => js.publish(SUBJECT, payload, { msgID: id })));
    const text = "update plain.outbox set published_at = now() where id = any($1)";
    await client.query({ name: "published", text, values: [rows.map(({ id }) => id)] });
  }
}

async function applyAll(client: pg.Client, nc: NatsConnection, events: number): Promise<void> {
  const consumer = await nc.jetstream().consumers.get(STREAM, STREAM);
  const insert = {
    name: "insert",
    text: "insert into plain.inbox (id, payload) values ($1, $2) on conflict do nothing",
  };
  for (let applied = 0; applied < events; ) {
    const messages = await consumer.fetch({ max_messages: Math.min(BATCH, events - applied) });
    await client.query("begin");
    const received = [];
    for await (const message of messages) {
      await client.query({ ...insert, values: [message.headers?.get("Nats-Msg-Id"), message.data] });
      received.push(message);
    }
    await client.query("commit");
    for (const message of received) message.ack();
    applied += received.length;
  }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
