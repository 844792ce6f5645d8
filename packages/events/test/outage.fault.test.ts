import { statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { connectToNats, execute, waitFor } from "@cloud/testkit";
import type { RestartableNats } from "@cloud/testkit/faults";
import { judgeTime, timed } from "@cloud/testkit/figures";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { effect } from "../src/consumer/effect.ts";
import type { EventTransport } from "../src/event-transport.ts";
import { count } from "./count-effect.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";
import { rewind } from "./removed-protections.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

test("while NATS is down, events wait in the outbox; then they are applied", async () => {
  const { nats, transport } = await stage.startNats();
  await nats.kill();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  const names = eventNames(100);
  await stage.append(names);
  expect(await stage.counts()).toEqual({});
  await nats.start();
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
});

test("a NATS that became silent is detected within 6 s, and used again when it responds", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["before"]);
  await stage.settled(["before"]);
  const detected = await timed(async () => {
    nats.pause();
    expect(await stage.metric("messaging_connected")).toBe(1);
    await waitFor(() => (transport.isConnected() ? undefined : true), { deadlineMs: 25_000 });
  });
  judgeTime({ what: "outage: a silent NATS is detected", limitMs: 6_000, ...detected });
  expect(await stage.metric("messaging_connected")).toBe(0);
  await stage.append(["meanwhile"]);
  nats.resume();
  expect(await stage.settled(["before", "meanwhile"])).toEqual({ before: 1, meanwhile: 1 });
  expect(await stage.metric("messaging_connected")).toBe(1);
}, 60_000);

test("events written while the store is wiped five times are all applied once", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  const names = eventNames(1000);
  const writing = stage.append(names);
  for (let round = 0; round < 5; round++) {
    const enough = (round + 1) * 100;
    await waitFor(async () => (Object.keys(await stage.counts()).length >= enough ? true : undefined), {
      deadlineMs: 10_000,
    });
    await nats.kill();
    await nats.wipe();
    await nats.start();
  }
  await writing;
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
});

/** The crashes of the store, after `lost` were published and before they were consumed. */
const CRASHES = {
  "when the store is wiped": async (nats: RestartableNats, publishLost: () => Promise<void>) => {
    await publishLost();
    await nats.kill();
    await nats.wipe();
  },
  "when the server loses the last messages that it confirmed": async (
    nats: RestartableNats,
    publishLost: () => Promise<void>,
  ) => {
    await nats.kill();
    const putBack = await nats.backUpStore();
    await nats.start();
    await publishLost();
    await nats.kill();
    await putBack();
  },
};

describe.each(Object.entries(CRASHES))("events that were published and not yet consumed %s", (_when, crash) => {
  const kept = eventNames(5, "kept");
  const lost = eventNames(20, "lost");
  const loseBetween = async (startRelay: (transport: EventTransport, url: string) => void) => {
    const { nats, transport } = await stage.startNats();
    startRelay(transport, nats.url);
    await stage.append(kept);
    await stage.settled([]);
    await crash(nats, async () => {
      await stage.append(lost);
      await stage.settled([]);
    });
    await nats.start();
    stage.startConsumer(transport);
    await stage.append(["last"]);
  };

  test("are published again", async () => {
    await loseBetween((transport) => stage.startRelay(transport));
    const names = [...kept, ...lost, "last"];
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    expect(await stage.metric("messaging_lost_total")).toBeGreaterThanOrEqual(lost.length);
  });

  test("control: without the rewind they are lost", async () => {
    await loseBetween((_transport, url) => stage.startRelayWithout(url, rewind));
    const applied = await stage.settled(["last"]);
    expect(lost.filter((name) => name in applied)).toEqual([]);
  });
});

test("new events are delivered after the stream, but no durable, has lost more than the outbox keeps", async () => {
  const [kept, lost, later] = [eventNames(5, "kept"), eventNames(20, "lost"), eventNames(10, "later")];
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(kept);
  await stage.settled(kept);
  await nats.kill();
  const putBack = await nats.backUpMessages();
  await nats.start();
  await stage.append(lost);
  await stage.settled(lost);
  await nats.kill();
  await putBack();
  await execute(stage.db, statement`delete from outbox`);
  await nats.start();
  await stage.append(later);
  expect(await stage.settled(later)).toEqual(appliedOnce([...kept, ...lost, ...later]));
});

test.each(["the durable", "the stream"])("%s deleted by hand is created again, and nothing is lost", async (what) => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["before"]);
  await stage.settled(["before"]);
  const nc = await connectToNats(nats.url);
  const jsm = await nc.jetstreamManager();
  if (what === "the stream") await jsm.streams.delete("CLOUD_EVENTS");
  else await jsm.consumers.delete("CLOUD_EVENTS", "stage-cloud_v1_environment_environment_deleted");
  await nc.close();
  await stage.append(["after"]);
  expect(await stage.settled(["before", "after"])).toEqual({ before: 1, after: 1 });
});

test("a database that fails ten times in the middle of an effect costs no attempt", async () => {
  const { transport } = await stage.startNats();
  stage.startRelay(transport);
  let runs = 0;
  const ending = effect(EnvironmentDeletedSchema, async (tx, event) => {
    await count(tx, event);
    if (++runs <= 10) await tx.query(statement`select pg_terminate_backend(pg_backend_pid())`);
  });
  stage.startConsumer(transport, { effects: [ending] });
  await stage.append(["event"]);
  expect(await stage.settled(["event"])).toEqual({ event: 1 });
  expect(runs).toBe(11);
  expect(await stage.metric("messaging_parked_total")).toBe(0);
});
