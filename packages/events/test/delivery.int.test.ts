import { createInProcessTransport } from "@cloud/local-servers";
import { type Database, statement } from "@cloud/postgres";
import { type EnvironmentDeleted, EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { correlate } from "@cloud/runtime/telemetry";
import { connectToNats, execute, waitFor, within } from "@cloud/testkit";
import { rewriting } from "@cloud/testkit/races";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { appendEvent } from "../src/append-event.ts";
import { effect } from "../src/consumer/effect.ts";
import type { Envelope } from "../src/envelope.ts";
import { claimEvents } from "../src/relay/outbox-sql.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

test("every committed event is applied once over NATS", async () => {
  const { transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  const names = eventNames(200);
  await stage.append(names);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
});

test("more events of one transaction than a batch holds are published once", async () => {
  const { transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  const names = eventNames(600);
  await stage.appendTogether(names);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
  expect(await stage.metric("messaging_published_total")).toBe(600);
});

test("events are applied once in process too, also by a consumer that joins late", async () => {
  const transport = createInProcessTransport(stage.telemetry);
  stage.startRelay(transport);
  const names = eventNames(50);
  await stage.append(names);
  await stage.settled([]);
  expect(await stage.counts()).toEqual({});
  stage.startConsumer(transport);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
});

test("a second publication within the duplicate window does not count as stored", async () => {
  const { transport } = await stage.startNats();
  const message = { id: "x", subject: "cloud.v1.environment.environment.deleted", headers: {}, payload: Buffer.of() };
  await waitFor(() => transport.readStream(), { deadlineMs: 30_000 });
  expect(await transport.publish(message)).toEqual({ sequence: 1, isNew: true });
  expect(await transport.publish(message)).toEqual({ sequence: 1, isNew: false });
});

test("an event of a transaction that rolled back is never published", async () => {
  const { transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  const refused = stage.db.transaction(async (tx) => {
    appendEvent(tx, EnvironmentDeletedSchema, { environmentId: "never" });
    throw new Error("changed its mind");
  });
  await expect(refused).rejects.toThrow("changed its mind");
  await stage.append(["after"]);
  expect(await stage.settled(["after"])).toEqual({ after: 1 });
  expect(await stage.metric("messaging_published_total")).toBe(1);
});

test("an event travels as CloudEvents 1.0, and its effect receives id and time", async () => {
  const { nats, transport } = await stage.startNats();
  const received: { event: EnvironmentDeleted; envelope: Envelope }[] = [];
  const note = effect(
    EnvironmentDeletedSchema,
    async (_tx, event, envelope) => void received.push({ event, envelope }),
  );
  stage.startConsumer(transport, { effects: [note] });
  stage.startRelay(transport);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const cause = { requestId: "r-1", traceparent, tracestate: "a=b" };
  await correlate(cause, () =>
    stage.db.transaction((tx) => appendEvent(tx, EnvironmentDeletedSchema, { environmentId: "e", actor: "u" })),
  );
  const { event, envelope } = await waitFor(() => received[0], { deadlineMs: 30_000 });
  expect(event).toMatchObject({ environmentId: "e", actor: "u" });
  const { rows } = await stage.db.read(statement<{ id: string; created_at: Date }>`
    select id, created_at
    from outbox`);
  expect(rows).toEqual([{ id: envelope.id, created_at: envelope.time }]);

  const nc = await connectToNats(nats.url);
  const stored = await (await nc.jetstreamManager()).streams.getMessage("CLOUD_EVENTS", { seq: 1 });
  expect(stored.subject).toBe("cloud.v1.environment.environment.deleted");
  const headers = Object.fromEntries(stored.header.keys().map((key) => [key, stored.header.get(key)]));
  expect(headers).toEqual({
    "Nats-Msg-Id": envelope.id,
    "Nats-Expected-Stream": "CLOUD_EVENTS",
    "ce-specversion": "1.0",
    "ce-id": envelope.id,
    "ce-source": "stage",
    "ce-type": "environment.v1.EnvironmentDeleted",
    "ce-time": envelope.time.toISOString(),
    "ce-datacontenttype": "application/protobuf",
    "ce-requestid": "r-1",
    "ce-traceparent": traceparent,
    "ce-tracestate": "a=b",
  });
  await nc.close();
});

describe("two relays on one outbox", () => {
  const names = eventNames(500);
  const publications = async () => {
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    const { rows } = await stage.db.read(
      statement<{ count: number }>`
        select last_value::integer as count
        from outbox_publications`,
    );
    return rows[0]?.count;
  };

  test("publish each event once between them", async () => {
    const { transport } = await stage.startNats();
    stage.startConsumer(transport);
    await stage.append(names);
    stage.startRelay(transport);
    stage.startRelay(transport);
    expect(await publications()).toBe(500);
  });

  test("do not claim what the other has claimed; control: without the lease they do", async () => {
    await stage.appendTogether(names);
    const term = "and (claimed_until is null or claimed_until not between now() and now() + interval '11 seconds')";
    const unleased: Pick<Database, "batch"> = {
      batch: (statements) =>
        stage.db.transaction((tx) => within(rewriting(tx, (text) => text.replace(term, ""))).batch(statements)),
    };
    const claim = async (db: Pick<Database, "batch">) => (await claimEvents(db, 1_000)).length;
    expect([await claim(stage.db), await claim(stage.db), await claim(unleased)]).toEqual([500, 0, 500]);
  });
});

describe("an event that is delivered three times", () => {
  const deliverThrice = async () => {
    const { transport } = await stage.startNats();
    stage.startConsumer(transport);
    await waitFor(() => (transport.isConnected() ? true : undefined), { deadlineMs: 30_000 });
    await transport.readStream();
    const headers = {
      "ce-id": "1",
      "ce-time": "2026-01-01T00:00:00Z",
      "ce-type": EnvironmentDeletedSchema.typeName,
    };
    const subject = "cloud.v1.environment.environment.deleted";
    const payload = new Uint8Array([10, 1, 97]); // environment_id = "a"
    await Promise.all(["x", "y", "z"].map((id) => transport.publish({ id, subject, headers, payload })));
    const labels = ["messaging_consumed_total", "messaging_duplicates_total"];
    await waitFor(
      async () => {
        const handled = await Promise.all(labels.map(stage.metric));
        return handled.reduce((sum, number) => sum + number, 0) === 3 ? true : undefined;
      },
      { deadlineMs: 30_000 },
    );
    return stage.counts();
  };

  test("is applied once", async () => {
    expect(await deliverThrice()).toEqual({ a: 1 });
  });

  test("control: without the inbox it is applied three times", async () => {
    await execute(stage.db, statement`alter table inbox drop constraint inbox_pkey`);
    expect(await deliverThrice()).toEqual({ a: 3 });
  });
});
