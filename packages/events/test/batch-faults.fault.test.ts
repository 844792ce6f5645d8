import { statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { execute, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { batchEffect } from "../src/consumer/effect.ts";
import type { EventTransport } from "../src/event-transport.ts";
import { listParked } from "../src/parked-messages.ts";
import { countAll, refusePoison } from "./count-effect.ts";
import { deliverTogether } from "./deliver-together.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";
import { oneByOne } from "./removed-protections.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

const names = eventNames(100);

/** Publishes events over NATS before any consumer starts, so that they arrive together. */
async function publish(events: string[]) {
  const started = await stage.startNats();
  stage.startRelay(started.transport);
  await stage.appendTogether(events);
  await stage.settled([]);
  return started;
}

describe("a poison event among 100 good ones", () => {
  const publishPoison = () => publish([...names.slice(0, 50), "poison", ...names.slice(50)]);

  test("is parked after 5 attempts; the others are applied once, at their first", async () => {
    const { transport } = await publishPoison();
    const sizes: number[] = [];
    const together = deliverTogether(transport, names.length + 1);
    stage.startConsumer(together, { effects: [refusePoison(sizes)], concurrency: 1 });
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    await stage.metricReaches("messaging_parked_total", 1);
    expect(await stage.counts()).toEqual(appliedOnce(names));
    expect(await stage.metric("messaging_retries_total")).toBe(4);
    expect(await listParked(stage.db)).toEqual([
      expect.objectContaining({ tries: 5, error: "Error: cannot be applied", reason: "failed" }),
    ]);
    expect(sizes[0]).toBe(100);
  });

  test("control: if a failed batch is not applied one by one, good events are parked", async () => {
    const { nats } = await publishPoison();
    stage.startConsumerWithout(nats.url, oneByOne, names.length + 1);
    await waitFor(async () => (await listParked(stage.db)).length > 1 || undefined, { deadlineMs: 40_000 });
  }, 90_000);
});

describe("a batch that is interrupted between its commit and its acks", () => {
  /** The first ack of each message does not arrive: the stream delivers the message again. */
  const losingAcks = (transport: EventTransport): EventTransport => ({
    ...transport,
    consume: (source, onDelivery) =>
      transport.consume(source, (delivery) =>
        onDelivery({ ...delivery, ack: delivery.deliveries === 1 ? delivery.release : delivery.ack }),
      ),
  });
  const interrupt = async () => {
    const { transport } = await publish(names);
    const effects = [
      batchEffect(EnvironmentDeletedSchema, (tx, events) =>
        countAll(
          tx,
          events.map(({ environmentId }) => environmentId),
        ),
      ),
    ];
    stage.startConsumer(losingAcks(transport), { effects });
  };

  test("is delivered again, and nothing is applied twice", async () => {
    await interrupt();
    await stage.metricReaches("messaging_duplicates_total", names.length);
    expect(await stage.counts()).toEqual(appliedOnce(names));
    expect(await stage.metric("messaging_consumed_total")).toBe(names.length);
  });

  test("control: without the inbox everything is applied twice", async () => {
    await execute(stage.db, statement`alter table inbox drop constraint inbox_pkey`);
    await interrupt();
    await stage.metricReaches("messaging_consumed_total", 2 * names.length);
    expect(new Set(Object.values(await stage.counts()))).toEqual(new Set([2]));
  });
});
