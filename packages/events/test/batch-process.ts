/**
 * Runs a consumer in its own process, for controls that remove a protection from it: it cannot apply `poison`. The
 * first `DELIVERED_TOGETHER` events reach it in one turn of the loop.
 */
import { openDatabase } from "@cloud/postgres";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startConsumer } from "../src/consumer/consumer.ts";
import { connectNats } from "../src/nats/connect-nats.ts";
import { refusePoison } from "./count-effect.ts";
import { deliverTogether } from "./deliver-together.ts";

const telemetry = createTelemetry({ service: "batches", level: "silent", processMetrics: false });
const url = process.env["DATABASE_URL"] ?? "";
// A fault of the database would make the product apply the events of a batch one by one.
const patience = { connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 };
const db = openDatabase({ url, schema: "stage", applicationName: "batches", log: telemetry.log, ...patience });
const transport = connectNats({ url: process.env["NATS_URL"] ?? "", clientName: "batches", telemetry });
const together = deliverTogether(transport, Number(process.env["DELIVERED_TOGETHER"]));
startConsumer({ db, transport: together, name: "stage", effects: [refusePoison()], telemetry, concurrency: 1 });
