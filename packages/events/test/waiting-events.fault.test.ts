import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { effect } from "../src/consumer/effect.ts";
import { listParked, replayParked } from "../src/parked-messages.ts";
import { count } from "./count-effect.ts";
import { createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

/** The gauge is read from the table every 5 s. */
const becomes = (name: string, value: number) =>
  waitFor(async () => (await stage.metric(name)) === value || undefined, { deadlineMs: 30_000 });

const whole = (isPoisonous: () => boolean) =>
  effect(EnvironmentDeletedSchema, async (tx, event) => {
    if (isPoisonous()) throw new Error("cannot be applied");
    await count(tx, event);
  });

test("parked messages are counted in the table: also by a consumer that starts later, and no longer after a replay", async () => {
  const { transport } = await stage.startNats();
  let isPoisonous = true;
  stage.startRelay(transport);
  const first = stage.startConsumer(transport, { effects: [whole(() => isPoisonous)] });
  await stage.append(["one", "two"]);
  await waitFor(async () => (await listParked(stage.db)).length === 2 || undefined, { deadlineMs: 30_000 });
  await first.stop();

  // As after a restart, nothing has been counted.
  stage.telemetry.metrics.resetMetrics();
  expect(await stage.metric("messaging_parked_messages")).toBe(0);
  stage.startConsumer(transport, { effects: [whole(() => isPoisonous)] });
  await becomes("messaging_parked_messages", 2);
  expect(await stage.metric("messaging_parked_total")).toBe(0);

  isPoisonous = false;
  await replayParked(stage.db, "all");
  await becomes("messaging_parked_messages", 0);
}, 60_000);

test("the lag of a consumer counts what is not delivered and what is not applied, and falls to 0", async () => {
  const { transport } = await stage.startNats();
  const names = eventNames(300); // more than one consumer holds
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = effect(EnvironmentDeletedSchema, count, async () => {
    await released;
    return "confirmed";
  });
  stage.startRelay(transport);
  stage.startConsumer(transport, { effects: [waiting] });
  await stage.appendTogether(names);
  await becomes("messaging_consumer_lag_messages", names.length);
  release();
  await stage.settled(names);
  await becomes("messaging_consumer_lag_messages", 0);
}, 60_000);
