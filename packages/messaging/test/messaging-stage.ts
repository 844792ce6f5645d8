import { type Database, migrate, openDatabase } from "@cloud/postgres";
import { type EnvironmentDeleted, EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";
import { appendEvent, type Effect, effect, messagingMigrations } from "../src/index.ts";

/** A database with the messaging tables and a table of effects, which counts what was applied. */
export interface Stage {
  db: Database;
  url: string;
  superuserUrl: string;
  /** Writes one event per id, each in a transaction of its own. */
  append(...ids: string[]): Promise<void>;
  /** Adds 1 to the count of the event's environment id: it tells when it was applied twice. */
  countEffect: Effect;
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export async function createStage(): Promise<Stage> {
  const { log } = testTelemetry();
  const { url, superuserUrl, drop } = await createTestDatabase("stage");
  await migrate({ url, schema: "stage", sources: [messagingMigrations], log });
  const db = openDatabase({ url, schema: "stage", applicationName: "stage", log });
  await db.query("create table effects (id text primary key, count integer not null)");
  return {
    db,
    url,
    superuserUrl,
    append: async (...ids) => {
      for (const environmentId of ids) {
        await db.withTransaction((tx) => appendEvent(tx, EnvironmentDeletedSchema, { environmentId }));
      }
    },
    countEffect: effect(EnvironmentDeletedSchema, (tx, event: EnvironmentDeleted) => addOne(tx, event.environmentId)),
    counts: async () => {
      const { rows } = await db.query<{ id: string; count: number }>("select id, count from effects order by id");
      return Object.fromEntries(rows.map((row) => [row.id, row.count]));
    },
    close: async () => {
      await db.close();
      await drop();
    },
  };
}

export async function addOne(tx: Parameters<typeof appendEvent>[0], id: string): Promise<void> {
  await tx.query(
    "insert into effects values ($1, 1) on conflict (id) do update set count = effects.count + excluded.count",
    [id],
  );
}

/** `event-000`, `event-001`… */
export function eventIds(count: number, prefix = "event"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
}
