import { startTestNats, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { connectNats, createInProcessTransport, startConsumer, startRelay } from "../src/index.ts";
import { createStage, eventIds, type Stage } from "./messaging-stage.ts";

let stage: Stage;
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  stage = await createStage();
  closers = [stage.close];
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

const opened = <T extends { stop(): Promise<void> }>(thing: T): T => {
  closers.push(() => thing.stop());
  return thing;
};

async function openNats() {
  const nats = opened(await startTestNats());
  const transport = connectNats({ url: nats.url, clientName: "test", telemetry: testTelemetry() });
  closers.push(transport.close);
  return transport;
}

const appliedOnce = (ids: string[]) => Object.fromEntries(ids.map((id) => [id, 1]));

async function expectAllApplied(ids: string[]) {
  await waitFor(async () => (Object.keys(await stage.counts()).length === ids.length ? true : undefined), {
    deadlineMs: 15_000,
  });
  expect(await stage.counts()).toEqual(appliedOnce(ids));
}

describe("an event that was committed", () => {
  test("is applied once over NATS", async () => {
    const { db, append, countEffect } = stage;
    const transport = await openNats();
    const telemetry = testTelemetry();
    opened(startRelay({ db, transport, source: "stage", telemetry }));
    opened(startConsumer({ db, transport, name: "stage", effects: [countEffect], telemetry }));
    const ids = eventIds(200);
    await append(...ids);
    await expectAllApplied(ids);
  });

  test("is applied once in process, also by a consumer that joins late", async () => {
    const { db, append, countEffect } = stage;
    const telemetry = testTelemetry();
    const transport = createInProcessTransport(telemetry);
    opened(startRelay({ db, transport, source: "stage", telemetry }));
    const ids = eventIds(50);
    await append(...ids);
    await waitFor(
      async () => {
        const { rowCount } = await db.query("select from outbox where published_at is null");
        return rowCount === 0 ? true : undefined;
      },
      { deadlineMs: 5000 },
    );
    opened(startConsumer({ db, transport, name: "stage", effects: [countEffect], telemetry }));
    await expectAllApplied(ids);
  });
});
