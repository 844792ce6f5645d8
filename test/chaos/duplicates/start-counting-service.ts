import { fileURLToPath } from "node:url";
import { messagingMigrations } from "@cloud/events";
import { migrate } from "@cloud/postgres/migrations";
import { type Program, startProgram, takeStablePort, testTelemetry, without } from "@cloud/testkit";
import { controls, type Protection } from "../controls.ts";
import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

export interface CountingService extends Program {
  /** Returns how often each event was applied, by id. */
  counts(): Promise<Map<string, number>>;
}

/** Adds another consumer of a system's events, with its own schema. */
export async function startCountingService(
  system: System,
  { query }: SystemDatabases,
  schema: string,
  remove: readonly Protection[],
): Promise<CountingService> {
  const [{ made = "" } = {}] = await query<{ made: string }>("select quote_ident($1) as made", [schema]);
  await query("create schema " + made);
  const url = system.databaseUrl;
  await migrate({ url, schema, sources: [messagingMigrations], log: testTelemetry().log });
  await query("create table " + made + ".applied (event_id text primary key, times integer not null)");
  const removed = without(remove.flatMap((name) => controls[name]));
  const program = await startProgram({
    name: schema,
    main: fileURLToPath(new URL("counting-service.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { DATABASE_URL: url, NATS_URL: system.nats.url, SCHEMA: schema, ...removed.env },
    preload: removed.preload,
  });
  const counts = async () => {
    const rows = await query<{ event_id: string; times: number }>("select event_id, times from " + made + ".applied");
    return new Map(rows.map((row) => [row.event_id, row.times]));
  };
  return { ...program, counts };
}
