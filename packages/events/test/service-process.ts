/** Runs a service in its own process, for tests that kill it: writes and applies events until it dies. */
import { randomUUID } from "node:crypto";
import { openDatabase, statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { appendEvent } from "../src/append-event.ts";
import { startConsumer } from "../src/consumer/consumer.ts";
import { effect } from "../src/consumer/effect.ts";
import { connectNats } from "../src/nats/connect-nats.ts";
import { startRelay } from "../src/relay/relay.ts";
import { count } from "./count-effect.ts";

const telemetry = createTelemetry({ service: "killed", level: "silent", processMetrics: false });
const url = process.env["DATABASE_URL"] ?? "";
const db = openDatabase({ url, schema: "stage", applicationName: "killed", log: telemetry.log });
const transport = connectNats({ url: process.env["NATS_URL"] ?? "", clientName: "killed", telemetry });
const relay = startRelay({ db, transport, source: "stage", telemetry });
startConsumer({ db, transport, name: "stage", effects: [effect(EnvironmentDeletedSchema, count)], telemetry });

for (;;) {
  const name = randomUUID();
  await db.transaction(async (tx) => {
    await tx.query(
      statement`
        insert into written
        values ($1)`,
      [name],
    );
    appendEvent(tx, EnvironmentDeletedSchema, { environmentId: name });
  });
  relay.wake();
}
