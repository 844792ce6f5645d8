import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { appendEvent, messagingMigrations, startRelay } from "@cloud/events";
import { connectNats } from "@cloud/events/nats";
import { openDatabase } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";

export interface PeerOutbox {
  /** Appends an event, which then reaches the service under test like an event of a peer. */
  publish<Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the outbox of a peer, in a database of its own, with a relay to NATS. `name` is the source of its events.
 * Most tests publish nothing: it starts with the first event.
 */
export function createPeerOutbox(name: string, natsUrl: string): PeerOutbox {
  let started: Promise<PeerOutbox> | undefined;
  return {
    publish: async (schema, init) => {
      started ??= start(name, natsUrl);
      await (await started).publish(schema, init);
    },
    stop: async () => await (await started)?.stop(),
  };
}

async function start(name: string, natsUrl: string): Promise<PeerOutbox> {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const database = await createTestDatabase(name);
  resources.defer(() => database.drop());
  const place = { url: database.ownerUrl, schema: name, log: telemetry.log };
  await migrate({ ...place, sources: [messagingMigrations] });
  const db = openDatabase({ ...place, applicationName: "peer" });
  resources.defer(() => db.close());
  const transport = connectNats({ url: natsUrl, clientName: name, telemetry });
  resources.defer(async () => transport.close());
  const relay = startRelay({ db, transport, source: name, telemetry });
  resources.defer(() => relay.stop());

  const running = resources.move();
  return {
    publish: async (schema, init) => {
      await db.transaction((tx) => appendEvent(tx, schema, init));
      relay.wake();
    },
    stop: () => running.disposeAsync(),
  };
}
