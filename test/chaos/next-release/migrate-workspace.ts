/** Migrates like the workspace service at its start, once all processes of the run are ready. */
import { migrate } from "@cloud/postgres/migrations";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { migrationsOf } from "@cloud/service";
import pg from "pg";
import { schema } from "../../../services/workspace/src/service.ts";

const { DATABASE_URL: url = "", START_LINE } = process.env;

if (START_LINE !== undefined) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_advisory_lock_shared($1)", [START_LINE]);
  await client.end();
}

const { log } = createTelemetry({ service: "migrate", level: "info", processMetrics: false });
await migrate({ url, schema: "workspace", sources: migrationsOf(schema), log });
