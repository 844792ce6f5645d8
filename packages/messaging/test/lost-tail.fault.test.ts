import { create, toBinary } from "@bufbuild/protobuf";
import { sql } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { type FaultProxy, type RestartableNats, startFaultProxy, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { connectNats, type EventTransport } from "../src/index.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;
let proxy: FaultProxy | undefined;
let closeOwn: (() => Promise<void>) | undefined;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(async () => {
  await closeOwn?.();
  await stage.close();
  await proxy?.stop();
});

const kept = eventNames(1_200, "kept");
const lost = eventNames(250, "lost");

/** Starts a service that reaches NATS through `proxy`, so that others can be faster than it. */
async function startService(adapt: (transport: EventTransport) => EventTransport) {
  const { nats, transport: others } = await stage.startNats();
  proxy = await startFaultProxy({ host: "127.0.0.1", port: nats.port });
  const url = nats.url.replace(`:${nats.port}`, `:${proxy.port}`);
  const own = connectNats({ url, clientName: "stage", telemetry: stage.telemetry });
  closeOwn = own.close;
  stage.startRelay(adapt(own));
  return { nats, own, others };
}

/** The server confirms `lost`, crashes, and comes back without them; then others publish past their sequences. */
async function loseTail(nats: RestartableNats, others: EventTransport): Promise<void> {
  await stage.appendTogether(kept);
  await stage.settled([]);
  await nats.kill();
  const putBack = await nats.keepStore();
  await nats.start();
  await stage.appendTogether(lost);
  await stage.settled([]);
  proxy?.refuse();
  await nats.kill();
  await putBack();
  await nats.start();
  await waitFor(() => others.isConnected() || undefined, { deadlineMs: 20_000 });
  await Promise.all(eventNames(lost.length + 10, "other").map((name) => others.publish(foreignEvent(name))));
}

function foreignEvent(environmentId: string) {
  const type = EnvironmentDeletedSchema.typeName;
  const headers = { "ce-id": environmentId, "ce-type": type, "ce-time": "2026-01-01T00:00:00Z" };
  const payload = toBinary(EnvironmentDeletedSchema, create(EnvironmentDeletedSchema, { environmentId }));
  return { id: environmentId, subject: "cloud.v1.environment.environment.deleted", headers, payload };
}

describe("events that NATS confirmed and lost in a crash, in a stream that others have refilled since", () => {
  test("are published again, and no others", async () => {
    const { nats, own, others } = await startService((transport) => transport);
    await loseTail(nats, others);
    proxy?.heal();
    stage.startConsumer(own);
    const names = [...kept, ...lost];
    expect(await stage.settled(names)).toMatchObject(appliedOnce(names));
    await stage.metricReaches("messaging_republished_total", lost.length);
    expect(await stage.metric("messaging_lost_total")).toBe(lost.length);
  });

  test("control: without a comparison with the stream, they are lost", async () => {
    const believing = (transport: EventTransport) => ({
      ...transport,
      readMessageId: async (sequence: number) => {
        const { rows } = await stage.db.query<{ id: string }>(
          sql`
            select id
            from outbox
            where stream_sequence = $1`,
          [sequence],
        );
        return rows[0]?.id;
      },
    });
    const { nats, own, others } = await startService(believing);
    await loseTail(nats, others);
    proxy?.heal();
    await stage.append(["last"]);
    stage.startConsumer(own);
    const applied = await stage.settled([...kept, "last"]);
    expect(lost.filter((name) => name in applied)).toEqual([]);
  });
});
