/** Runs a relay in its own process, for controls that remove a protection from it. */
import { openDatabase } from "@cloud/postgres";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { connectNats } from "../src/nats/connect-nats.ts";
import { startRelay } from "../src/relay/relay.ts";

const telemetry = createTelemetry({ service: "relay", level: "silent", processMetrics: false });
const url = process.env["DATABASE_URL"] ?? "";
const db = openDatabase({ url, schema: "stage", applicationName: "relay", log: telemetry.log });
const transport = connectNats({ url: process.env["NATS_URL"] ?? "", clientName: "relay", telemetry });
startRelay({ db, transport, source: "stage", telemetry });
