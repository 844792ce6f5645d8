import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { effect } from "../src/consumer/effect.ts";
import { listParked, replayParked } from "../src/parked-messages.ts";
import { count } from "./count-effect.ts";
import { deliverTogether } from "./deliver-together.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

const parked = () =>
  waitFor(async () => (await listParked(stage.db)).find((message) => message.replayedAt === null), {
    deadlineMs: 30_000,
  });

test("a message that always fails is parked after 5 attempts, delays no other, and is replayed", async () => {
  const { transport } = await stage.startNats();
  let poisonous = true;
  const handled: string[] = [];
  const failing = effect(EnvironmentDeletedSchema, async (tx, event) => {
    await count(tx, event);
    handled.push(event.environmentId);
    if (event.environmentId !== "poison" || !poisonous) return;
    throw new Error("cannot\0 be applied");
  });
  stage.startRelay(transport);
  const names = eventNames(50);
  // All have arrived before the first is handled, so that none can be late for its turn.
  stage.startConsumer(deliverTogether(transport, 51), { effects: [failing], concurrency: 1 });
  await stage.append(["poison", ...names]);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));

  expect(await parked()).toMatchObject({ consumer: "stage", tries: 5, error: "Error: cannot\ufffd be applied" });
  // The others do not wait for its next attempt.
  expect(handled[handled.indexOf("poison") + 1]).not.toBe("poison");
  expect(handled.filter((name) => name === "poison")).toHaveLength(5);
  await stage.metricReaches("messaging_parked_total", 1);

  poisonous = false;
  expect(await replayParked(stage.db, "all")).toBe(1);
  expect(await stage.settled(["poison", ...names])).toEqual(appliedOnce(["poison", ...names]));
  expect(await replayParked(stage.db, "all")).toBe(0);
});

test("a message that cannot be read is parked at once, and again after a replay", async () => {
  const { transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await waitFor(() => transport.readStream(), { deadlineMs: 30_000 });
  const subject = "cloud.v1.environment.environment.deleted";
  const headers = { "ce-id": "odd", "ce-time": "2026-01-01T00:00:00Z", "ce-type": EnvironmentDeletedSchema.typeName };
  await transport.publish({ id: "odd", subject, headers, payload: Buffer.from("no protobuf") });
  const message = await parked();
  expect(message).toMatchObject({ eventId: "odd", tries: 1 });
  await replayParked(stage.db, [message.id]);
  expect(await parked()).toMatchObject({ id: message.id, eventId: "odd" });
});
