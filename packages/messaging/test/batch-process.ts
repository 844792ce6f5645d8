/** Runs a consumer in its own process, for controls that remove a protection from it: it cannot apply `poison`. */
import { openDatabase } from "@cloud/postgres";
import { createTelemetry } from "@cloud/telemetry";
import { connectNats, startConsumer } from "../src/index.ts";
import { refusePoison } from "./count-effect.ts";

const telemetry = createTelemetry({ service: "batches", level: "silent", processMetrics: false });
const url = process.env["DATABASE_URL"] ?? "";
const db = openDatabase({ url, schema: "stage", applicationName: "batches", log: telemetry.log });
const transport = connectNats({ url: process.env["NATS_URL"] ?? "", clientName: "batches", telemetry });
startConsumer({ db, transport, name: "stage", effects: [refusePoison()], telemetry, concurrency: 1 });
