import { createInProcessTransport } from "@cloud/local-servers";
import { statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { batchEffect } from "../src/consumer/effect.ts";
import { countAll } from "./count-effect.ts";
import { deliverTogether } from "./deliver-together.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage({ statementTimeoutMs: 3_000 });
});
afterEach(() => stage.close());

/**
 * Starts a consumer to which the first `count` events are delivered together. Returns the sizes of the batches that
 * reached its effect, including failed ones.
 */
function startBatches(count: number, fails: (names: readonly string[]) => boolean = () => false) {
  const sizes: number[] = [];
  const transport = createInProcessTransport(stage.telemetry);
  const effects = [
    batchEffect(EnvironmentDeletedSchema, async (tx, events) => {
      const names = events.map(({ environmentId }) => environmentId);
      sizes.push(names.length);
      await countAll(tx, names);
      if (fails(names)) throw new Error("cannot be applied");
    }),
  ];
  stage.startConsumer(deliverTogether(transport, count), { effects, concurrency: 1 });
  return { sizes, transport };
}

test("events that are ready together are applied in transactions of 100", async () => {
  const { sizes, transport } = startBatches(500);
  const names = eventNames(500);
  await stage.appendTogether(names);
  stage.startRelay(transport);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
  expect(sizes).toEqual([100, 100, 100, 100, 100]);
});

test("an event that fails does not prevent the others of its batch", async () => {
  const { sizes, transport } = startBatches(100, (names) => names.includes("event-0042"));
  const names = eventNames(100);
  await stage.appendTogether(names);
  stage.startRelay(transport);
  const good = names.filter((name) => name !== "event-0042");
  expect(await stage.settled(good)).toEqual(appliedOnce(good));
  await stage.metricReaches("messaging_parked_total", 1);
  expect(await stage.counts()).toEqual(appliedOnce(good));
  expect(sizes.slice(0, 101)).toEqual([100, ...Array(100).fill(1)]);
});

test("of two copies in one batch, only one is applied", async () => {
  const { transport } = startBatches(200);
  const publish = transport.publish;
  transport.publish = async (message) => {
    await publish(message);
    return await publish(message);
  };
  const names = eventNames(100);
  await stage.appendTogether(names);
  stage.startRelay(transport);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
  await stage.metricReaches("messaging_duplicates_total", 100);
});

test("one that waits for a lock does not keep the others of its batch", async () => {
  const { transport } = startBatches(100);
  const names = eventNames(100);
  await stage.db.transaction((tx) => countAll(tx, ["event-0042"]));
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const locking = stage.db.transaction(async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    await tx.query(statement`
      select 1
      from effects
      where name = 'event-0042'
      for update`);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  await stage.appendTogether(names);
  stage.startRelay(transport);
  const others = names.filter((name) => name !== "event-0042");
  expect(await stage.settled(others)).toEqual(appliedOnce(names)); // the count of the locked row is that from before
  release.resolve();
  await locking;
  await stage.metricReaches("messaging_consumed_total", 100);
  expect(await stage.counts()).toEqual({ ...appliedOnce(names), "event-0042": 2 });
});
