/** A program that does what the workspace service does first, once all of its kind are there to do it. */
import { fileURLToPath } from "node:url";
import { messagingMigrations } from "@cloud/messaging";
import { migrate } from "@cloud/postgres";
import { createTelemetry } from "@cloud/telemetry";
import pg from "pg";

const { DATABASE_URL: url = "", START_LINE } = process.env;
const folder = fileURLToPath(new URL("../../../../../services/workspace/migrations", import.meta.url));

if (START_LINE !== undefined) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_advisory_lock_shared($1)", [START_LINE]);
  await client.end();
}

const { log } = createTelemetry({ service: "migrate", level: "info", processMetrics: false });
await migrate({ url, schema: "workspace", sources: [messagingMigrations, { folder, name: "workspace" }], log });
