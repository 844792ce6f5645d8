import { waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

test("after a long history is wiped, the newest events are republished first", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  const names = eventNames(2000);
  await stage.append(names);
  await stage.settled([]);
  await nats.kill();
  await nats.wipe();
  await nats.start();
  stage.startConsumer(transport);
  const applied = await waitFor(
    async () => {
      const counts = await stage.counts();
      return "event-1999" in counts ? counts : undefined;
    },
    { deadlineMs: 10_000 },
  );
  expect(applied).not.toHaveProperty("event-0000");
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
});
