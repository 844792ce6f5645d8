import { sql } from "@cloud/postgres";
import { type RemovedProtection, type RestartableNats, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { DiscardPolicy, type JetStreamManager } from "nats";
import type { EventTransport } from "../src/index.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";
import { duplicates, holes } from "./removed-protections.ts";
import { withJetStream } from "./with-jetstream.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

const STREAM = "CLOUD_EVENTS";
const names = eventNames(40);

/**
 * Ways in which some of 40 published messages leave the stream before a consumer received them, and how many each
 * removes.
 */
const LOSSES: Record<string, { lost: number; lose: (jsm: JetStreamManager) => Promise<unknown> }> = {
  "a purge": { lost: 40, lose: (jsm) => jsm.streams.purge(STREAM) },
  "a purge that keeps the last": { lost: 35, lose: (jsm) => jsm.streams.purge(STREAM, { keep: 5 }) },
  "messages deleted from the middle": {
    lost: 3,
    lose: (jsm) => Promise.all([7, 8, 20].map((sequence) => jsm.streams.deleteMessage(STREAM, sequence))),
  },
  "limits lowered for a moment": {
    lost: 30,
    lose: async (jsm) => {
      await jsm.streams.update(STREAM, { max_msgs: 10 });
      await jsm.streams.update(STREAM, { max_msgs: -1 });
    },
  },
  "limits lowered for a moment, with another policy": {
    lost: 39,
    lose: async (jsm) => {
      await jsm.streams.update(STREAM, { max_msgs: 1, discard: DiscardPolicy.Old });
      await jsm.streams.update(STREAM, { max_msgs: -1 });
    },
  },
};

const published = async (startRelay: (transport: EventTransport, nats: RestartableNats) => void) => {
  const { nats, transport } = await stage.startNats();
  startRelay(transport, nats);
  await stage.append(names);
  await stage.settled([]);
  return { nats, transport };
};

const lostTotal = (count: number) => stage.metricReaches("messaging_lost_total", count);

describe.each(Object.entries(LOSSES))("after %s", (_what, { lost, lose }) => {
  test("events that left the stream are republished within the duplicate window, and applied once", async () => {
    const { nats, transport } = await published((transport) => stage.startRelay(transport));
    await withJetStream(nats.url, lose);
    await lostTotal(lost);
    await stage.metricReaches("messaging_republished_total", lost);
    stage.startConsumer(transport);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    const messages = await withJetStream(nats.url, async (jsm) => (await jsm.streams.info(STREAM)).state.messages);
    expect(messages).toBe(40);
  });
});

test("a relay started after the loss detects it too; a second loss and a second relay duplicate nothing", async () => {
  const { nats, transport } = await stage.startNats();
  const first = stage.startRelay(transport);
  await stage.append(names);
  await stage.settled([]);
  await first.stop();
  const purge = () => withJetStream(nats.url, (jsm) => jsm.streams.purge(STREAM));
  await purge();
  stage.startRelay(transport);
  stage.startRelay(transport);
  await stage.metricReaches("messaging_republished_total", 40);
  await purge();
  await stage.metricReaches("messaging_republished_total", 80);
  stage.startConsumer(transport);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
  const messages = await withJetStream(nats.url, async (jsm) => (await jsm.streams.info(STREAM)).state.messages);
  expect(messages).toBe(40);
});

test("events already applied are republished and ignored", async () => {
  const { nats, transport } = await published((transport) => stage.startRelay(transport));
  stage.startConsumer(transport);
  await stage.settled(names);
  await withJetStream(nats.url, (jsm) => jsm.streams.purge(STREAM));
  await stage.metricReaches("messaging_duplicates_total", 40);
  expect(await stage.counts()).toEqual(appliedOnce(names));
});

test("events that left the stream after 6 days have aged: they are not republished", async () => {
  const { nats } = await published((transport) => stage.startRelay(transport));
  await stage.db.query(sql`
    update outbox
    set published_at = now() - interval '6 days 1 hour'
    where stream_sequence <= 30`);
  await withJetStream(nats.url, (jsm) => jsm.streams.purge(STREAM));
  await lostTotal(10);
  await stage.metricReaches("messaging_republished_total", 10);
});

test("a second publication within the duplicate window does not count as stored", async () => {
  const { transport } = await stage.startNats();
  const message = { id: "x", subject: "cloud.v1.environment.environment.deleted", headers: {}, payload: Buffer.of() };
  await waitFor(() => transport.readStream(), { deadlineMs: 20_000 });
  expect(await transport.publish(message)).toEqual({ sequence: 1, isNew: true });
  expect(await transport.publish(message)).toEqual({ sequence: 1, isNew: false });
});

describe("control: of 40 purged events none is applied", () => {
  const purged = async (removed: RemovedProtection[]) => {
    const { nats, transport } = await published((_transport, { url }) => stage.startRelayWithout(url, removed));
    await withJetStream(nats.url, (jsm) => jsm.streams.purge(STREAM));
    return { nats, transport };
  };

  test("if a duplicate counts as published", async () => {
    const { transport } = await purged(duplicates);
    const numbered = sql`
      select
      from outbox
      where publication > 40 and published_at is not null`;
    await waitFor(async () => (await stage.db.query(numbered)).rowCount === 40 || undefined, { deadlineMs: 10_000 });
    stage.startConsumer(transport);
    await stage.append(["last"]);
    expect(await stage.settled(["last"])).toEqual({ last: 1 });
  });

  test("if the relay does not check for holes", async () => {
    const { nats, transport } = await purged(holes);
    stage.startRelayWithout(nats.url, holes); // checks at its start, before it publishes
    stage.startConsumer(transport);
    await stage.append(["last"]);
    expect(await stage.settled(["last"])).toEqual({ last: 1 });
  });
});
