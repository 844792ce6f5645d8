/** Runs a consumer that ends its process when it applies the event named `poison`. */
import { openDatabase } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startConsumer } from "../src/consumer/consumer.ts";
import { effect } from "../src/consumer/effect.ts";
import { connectNats } from "../src/nats/connect-nats.ts";
import { count } from "./count-effect.ts";

const telemetry = createTelemetry({ service: "poisoned", level: "silent", processMetrics: false });
const url = process.env["DATABASE_URL"] ?? "";
const db = openDatabase({ url, schema: "stage", applicationName: "poisoned", log: telemetry.log });
const transport = connectNats({ url: process.env["NATS_URL"] ?? "", clientName: "poisoned", telemetry });
const ending = effect(EnvironmentDeletedSchema, async (tx, event) => {
  if (event.environmentId === "poison") process.kill(process.pid, "SIGKILL");
  await count(tx, event);
});
startConsumer({ db, transport, name: "stage", effects: [ending], telemetry });
