import { connectToNats, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AckPolicy, DeliverPolicy, DiscardPolicy, nanos, RetentionPolicy, StorageType } from "nats";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";
import { withJetStream } from "./with-jetstream.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(() => stage.close());

const STREAM = "CLOUD_EVENTS";
const DURABLE = "stage-cloud_v1_environment_environment_deleted";
const names = eventNames(10);

const streamConfig = (url: string) => withJetStream(url, async (jsm) => (await jsm.streams.info(STREAM)).config);
const durableConfig = (url: string) =>
  withJetStream(url, async (jsm) => (await jsm.consumers.info(STREAM, DURABLE)).config);
const conditionText = (name: string) =>
  stage.telemetry.conditions.list().find((condition) => condition.name === name)?.message;
const raised = (name: string) => waitFor(() => conditionText(name), { deadlineMs: 20_000 });
const cleared = (name: string) => waitFor(() => conditionText(name) === undefined || undefined, { deadlineMs: 20_000 });

/** Records every request to a subject of JetStream's API. */
async function watchRequests(url: string, subject: string) {
  const nc = await connectToNats(url);
  let count = 0;
  nc.subscribe(subject, { callback: () => void count++ });
  await nc.flush();
  return { count: () => count, close: () => nc.close() };
}

test("a stream configured by another program is corrected, and the operator's fields are kept", async () => {
  const { nats, transport } = await stage.startNats();
  await withJetStream(nats.url, (jsm) =>
    jsm.streams.add({
      name: STREAM,
      subjects: ["other.>"],
      no_ack: true,
      max_age: nanos(60_000),
      duplicate_window: nanos(10_000),
      max_msgs_per_subject: 3,
      max_bytes: 100_000_000,
      description: "the operator's",
    }),
  );
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(names);
  expect(await stage.settled(names)).toEqual(appliedOnce(names));
  expect(await streamConfig(nats.url)).toMatchObject({
    subjects: ["cloud.v1.>"],
    discard: DiscardPolicy.New,
    max_age: nanos(7 * 24 * 3_600_000),
    duplicate_window: nanos(120_000),
    max_msgs_per_subject: -1,
    max_bytes: 100_000_000,
    description: "the operator's",
  });
  expect((await streamConfig(nats.url)).no_ack ?? false).toBe(false);
  expect(conditionText("stream-configuration")).toBeUndefined();
});

test("a stream that is changed while programs run is corrected, even by three at once", async () => {
  const { nats, transport } = await stage.startNats();
  for (let relay = 0; relay < 3; relay++) stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["before"]);
  await stage.settled(["before"]);
  await withJetStream(nats.url, (jsm) => jsm.streams.update(STREAM, { subjects: ["other.>"] }));
  await stage.append(names);
  expect(await stage.settled(names)).toEqual(appliedOnce(["before", ...names]));
});

describe("a difference that NATS does not allow to be updated", () => {
  test("raises one condition that describes it, clears with it, and is not retried repeatedly", async () => {
    const { nats, transport } = await stage.startNats();
    const other = { storage: StorageType.Memory, retention: RetentionPolicy.Interest, subjects: ["cloud.v1.>"] };
    await withJetStream(nats.url, (jsm) => jsm.streams.add({ name: STREAM, ...other }));
    stage.startRelay(transport);
    stage.startConsumer(transport);
    await raised("stream-configuration");
    const updates = await watchRequests(nats.url, `$JS.API.STREAM.UPDATE.${STREAM}`);
    const reads = await watchRequests(nats.url, `$JS.API.STREAM.INFO.${STREAM}`);
    expect(conditionText("stream-configuration")).toBe(
      'the stream CLOUD_EVENTS has another configuration: retention is "interest" instead of "limits", storage is' +
        ' "memory" instead of "file"; correct it, or delete it: it is created again, and nothing is lost',
    );
    await waitFor(() => (reads.count() >= 3 ? true : undefined), { deadlineMs: 10_000 });
    expect(updates.count()).toBe(0);
    await withJetStream(nats.url, (jsm) => jsm.streams.delete(STREAM));
    await cleared("stream-configuration");
    await updates.close();
    await reads.close();
    await stage.append(names);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    expect((await streamConfig(nats.url)).storage).toBe(StorageType.File);
  });

  test("a stream whose messages leave by design is not refilled repeatedly", async () => {
    const { nats, transport } = await stage.startNats();
    const queue = { retention: RetentionPolicy.Workqueue, subjects: ["cloud.v1.>"] };
    await withJetStream(nats.url, (jsm) => jsm.streams.add({ name: STREAM, ...queue }));
    stage.startRelay(transport);
    stage.startConsumer(transport);
    await stage.append(names);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    const reads = await watchRequests(nats.url, `$JS.API.STREAM.INFO.${STREAM}`);
    await waitFor(() => (reads.count() >= 3 ? true : undefined), { deadlineMs: 10_000 });
    await reads.close();
    expect(await stage.metric("messaging_lost_total")).toBe(0);
    expect(conditionText("stream-configuration")).toContain('retention is "workqueue" instead of "limits"');
  });

  test("an update that the server refuses is attempted once", async () => {
    const { nats, transport } = await stage.startNats();
    await withJetStream(nats.url, async (jsm) => {
      await jsm.streams.add({ name: "RIVAL", subjects: ["cloud.v1.*.>"] });
      await jsm.streams.add({ name: STREAM, subjects: ["other.>"] });
    });
    const updates = await watchRequests(nats.url, `$JS.API.STREAM.UPDATE.${STREAM}`);
    const reads = await watchRequests(nats.url, `$JS.API.STREAM.INFO.${STREAM}`);
    stage.startRelay(transport);
    expect(await raised("stream-configuration")).toMatch(/subjects is .* the update is refused: .*overlap/);
    const before = reads.count();
    await waitFor(() => (reads.count() >= before + 3 ? true : undefined), { deadlineMs: 10_000 });
    expect(updates.count()).toBe(1);
    await updates.close();
    await reads.close();
  });

  test("a stream of another name that has the subjects", async () => {
    const { nats, transport } = await stage.startNats();
    await withJetStream(nats.url, (jsm) => jsm.streams.add({ name: "RIVAL", subjects: ["cloud.v1.*.>"] }));
    stage.startRelay(transport);
    expect(await raised("stream-configuration")).toMatch(/^the stream CLOUD_EVENTS cannot be created: .*overlap/);
    await withJetStream(nats.url, (jsm) => jsm.streams.delete("RIVAL"));
    await cleared("stream-configuration");
  });
});

describe("a durable", () => {
  test("with another filter and other limits is corrected, at the start and while in use", async () => {
    const { nats, transport } = await stage.startNats();
    await waitFor(() => transport.readStream(), { deadlineMs: 20_000 });
    await withJetStream(nats.url, (jsm) =>
      jsm.consumers.add(STREAM, {
        durable_name: DURABLE,
        ack_policy: AckPolicy.Explicit,
        filter_subject: "cloud.v1.other",
        ack_wait: nanos(1000),
        max_deliver: 2,
        headers_only: true,
      }),
    );
    stage.startRelay(transport);
    stage.startConsumer(transport);
    await stage.append(names);
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    const expected = {
      filter_subject: "cloud.v1.environment.environment.deleted",
      ack_wait: nanos(10_000),
      max_deliver: -1,
      max_ack_pending: 256,
    };
    expect(await durableConfig(nats.url)).toMatchObject(expected);
    await withJetStream(nats.url, (jsm) => jsm.consumers.update(STREAM, DURABLE, { max_ack_pending: 1 }));
    const isCorrected = async () => (await durableConfig(nats.url)).max_ack_pending === 256 || undefined;
    await waitFor(isCorrected, { deadlineMs: 20_000 });
  });

  test("whose filter was wrong for a moment delivers what was published meanwhile", async () => {
    const { nats, transport } = await stage.startNats();
    stage.startRelay(transport);
    stage.startConsumer(transport);
    await stage.append(["before"]);
    await stage.settled(["before"]);
    await withJetStream(nats.url, async (jsm) => {
      await jsm.consumers.update(STREAM, DURABLE, { filter_subject: "cloud.v1.other" } as object);
    });
    await stage.append(names);
    expect(await stage.settled(names)).toEqual(appliedOnce(["before", ...names]));
  });

  test("that delivers only new messages is a condition until it is deleted; then it delivers all", async () => {
    const { nats, transport } = await stage.startNats();
    stage.startRelay(transport);
    await stage.append(names);
    await stage.settled([]);
    await withJetStream(nats.url, (jsm) =>
      jsm.consumers.add(STREAM, {
        durable_name: DURABLE,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.New,
        filter_subject: "cloud.v1.environment.environment.deleted",
      }),
    );
    stage.startConsumer(transport);
    expect(await raised("consumer-configuration")).toContain(
      `the durable ${DURABLE} has another configuration: deliver_policy is "new" instead of "all"`,
    );
    await withJetStream(nats.url, (jsm) => jsm.consumers.delete(STREAM, DURABLE));
    await cleared("consumer-configuration");
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
  });
});

test("a full stream rejects new events, which wait in the outbox until there is room", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["before"]);
  await stage.settled(["before"]);
  await withJetStream(nats.url, (jsm) => jsm.streams.update(STREAM, { max_msgs: 1 }));
  await stage.append(names);
  await stage.metricReaches("messaging_outbox_backlog_rows", 10);
  expect(await stage.counts()).toEqual({ before: 1 });
  await withJetStream(nats.url, (jsm) => jsm.streams.update(STREAM, { max_msgs: -1 }));
  expect(await stage.settled(names)).toEqual(appliedOnce(["before", ...names]));
});
