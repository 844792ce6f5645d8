import { type Database, migrate, openDatabase } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { Telemetry } from "@cloud/telemetry";
import { createTestDatabase, type RestartableNats, startRestartableNats, testTelemetry, waitFor } from "@cloud/testkit";
import {
  appendEvent,
  type ConsumerOptions,
  connectNats,
  type EventTransport,
  effect,
  messagingMigrations,
  type RelayOptions,
  startConsumer,
  startRelay,
} from "../src/index.ts";
import { count } from "./count-effect.ts";

/** A database with the messaging tables and a table that counts how often each event was applied. */
export interface Stage {
  db: Database;
  url: string;
  telemetry: Telemetry;
  startNats(): Promise<{ nats: RestartableNats; transport: EventTransport }>;
  startRelay(transport: EventTransport, options?: Partial<RelayOptions>): { stop(): Promise<void> };
  /** By default its effect is `count`. */
  startConsumer(transport: EventTransport, options?: Partial<ConsumerOptions>): { stop(): Promise<void> };
  /** Writes one event per name, each in a transaction of its own. */
  append(names: string[]): Promise<void>;
  /** How often each event was applied, by name. */
  counts(): Promise<Record<string, number>>;
  /** Waits until every one of `names` was applied and every event is published; answers the counts. */
  settled(names: string[]): Promise<Record<string, number>>;
  /** The sum of a counter over all labels. */
  metric(name: string): Promise<number>;
  /** Closes everything in reverse order. */
  close(): Promise<void>;
}

export const appliedOnce = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]));

/** `event-0000`, `event-0001`… */
export function eventNames(count: number, prefix = "event"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
}

export async function createStage(): Promise<Stage> {
  const telemetry = testTelemetry();
  const { url, drop } = await createTestDatabase("stage");
  await migrate({ url, schema: "stage", sources: [messagingMigrations], log: telemetry.log });
  const db = openDatabase({ url, schema: "stage", applicationName: "stage", log: telemetry.log });
  await db.query("create table effects (name text primary key, count integer not null)");
  const closers: (() => Promise<void>)[] = [drop, db.close];
  const closing = <T extends { stop(): Promise<void> }>(part: T) => {
    closers.push(part.stop);
    return part;
  };
  const counts = async () => {
    const { rows } = await db.query<{ name: string; count: number }>("select name, count from effects");
    return Object.fromEntries(rows.map((row) => [row.name, row.count]));
  };
  return {
    db,
    url,
    telemetry,
    startNats: async () => {
      const nats = await startRestartableNats();
      const transport = connectNats({ url: nats.url, clientName: "stage", telemetry });
      closers.push(nats.stop, transport.close);
      return { nats, transport };
    },
    startRelay: (transport, options) => closing(startRelay({ db, transport, source: "stage", telemetry, ...options })),
    startConsumer: (transport, options) => {
      const effects = [effect(EnvironmentDeletedSchema, count)];
      return closing(startConsumer({ db, transport, name: "stage", effects, telemetry, ...options }));
    },
    append: async (names) => {
      for (const environmentId of names) {
        await db.withTransaction((tx) => appendEvent(tx, EnvironmentDeletedSchema, { environmentId }));
      }
    },
    counts,
    settled: (names) =>
      waitFor(
        async () => {
          const { rowCount } = await db.query("select from outbox where published_at is null limit 1");
          const applied = await counts();
          return rowCount === 0 && names.every((name) => name in applied) ? applied : undefined;
        },
        { deadlineMs: 15_000 },
      ),
    metric: async (name) => {
      const { values } = (await telemetry.metrics.getSingleMetric(name)?.get()) ?? { values: [] };
      return values.reduce((sum, { value }) => sum + value, 0);
    },
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}
