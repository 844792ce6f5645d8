import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Database, statement, type Tx } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { Telemetry } from "@cloud/runtime/telemetry";
import {
  createTestDatabase,
  execute,
  openTestDatabase,
  type RemovedProtection,
  testTelemetry,
  waitFor,
  without,
} from "@cloud/testkit";
import { type RestartableNats, startRestartableNats } from "@cloud/testkit/faults";
import { appendEvent, appendEvents, messagingMigrations } from "../src/append-event.ts";
import { type ConsumerOptions, startConsumer } from "../src/consumer/consumer.ts";
import { effect } from "../src/consumer/effect.ts";
import type { EventTransport } from "../src/event-transport.ts";
import { connectNats } from "../src/nats/connect-nats.ts";
import { type Relay, type RelayOptions, startRelay } from "../src/relay/relay.ts";
import { count } from "./count-effect.ts";

/** A database with the messaging tables and a table that counts how often each event was applied. */
export interface Stage {
  db: Database;
  url: string;
  telemetry: Telemetry;
  startNats(): Promise<{ nats: RestartableNats; transport: EventTransport }>;
  startRelay(transport: EventTransport, options?: Partial<RelayOptions>): Relay;
  /** Starts a relay with protections removed, in a process of its own, for a control. */
  startRelayWithout(natsUrl: string, removed: readonly RemovedProtection[]): void;
  /**
   * The same for a consumer with the effect `refusePoison`, to which the first `together` events are delivered
   * together.
   */
  startConsumerWithout(natsUrl: string, removed: readonly RemovedProtection[], together: number): void;
  /** The default effect is `count`. */
  startConsumer(transport: EventTransport, options?: Partial<ConsumerOptions>): { stop(): Promise<void> };
  /** Writes one event per name, each in a transaction of its own. */
  append(names: string[]): Promise<void>;
  /** Writes one event per name, all in one transaction. */
  appendTogether(names: string[]): Promise<void>;
  /** Returns how often each event was applied, by name. */
  counts(): Promise<Record<string, number>>;
  /** Waits until all of `names` are applied and all events are published; returns the counts. */
  settled(names: string[]): Promise<Record<string, number>>;
  /** Returns the sum of a counter over all labels. */
  metric(name: string): Promise<number>;
  /** Waits until it is exactly `value`; a metric may lag behind the database. */
  metricReaches(name: string, value: number): Promise<void>;
  /** Closes everything in reverse order. */
  close(): Promise<void>;
}

export const appliedOnce = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]));

/** `event-0000`, `event-0001`… */
export function eventNames(count: number, prefix = "event"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
}

/** Creates a database for one test. Its statements have 30 s each, unless the test is about their time-out. */
export async function createStage(limits: { readonly statementTimeoutMs?: number } = {}): Promise<Stage> {
  const telemetry = testTelemetry();
  const { ownerUrl: url, drop } = await createTestDatabase("stage");
  await migrate({ url, schema: "stage", sources: [messagingMigrations], log: telemetry.log });
  const db = openTestDatabase({ url, schema: "stage", log: telemetry.log, ...limits });
  await execute(db, statement`create table effects (name text primary key, count integer not null)`);
  const closers: (() => Promise<void>)[] = [drop, db.close];
  const relays: Relay[] = [];
  const commit = async (work: (tx: Tx) => Promise<void>) => {
    await db.transaction(work);
    for (const relay of relays) relay.wake();
  };
  const closing = <T extends { stop(): Promise<void> }>(part: T) => {
    closers.push(part.stop);
    return part;
  };
  const metric = async (name: string) => {
    const { values } = (await telemetry.metrics.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const counts = async () => {
    const { rows } = await db.read(statement<{ name: string; count: number }>`
      select name, count
      from effects`);
    return Object.fromEntries(rows.map((row) => [row.name, row.count]));
  };
  const startWithout = (main: string, natsUrl: string, removed: readonly RemovedProtection[], settings = {}) => {
    const { preload, env } = without(removed);
    const args = [...preload.flatMap((module) => ["--import", module]), path.join(import.meta.dirname, main)];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env, ...settings, DATABASE_URL: url, NATS_URL: natsUrl },
    });
    const ended = once(child, "exit");
    closers.push(async () => {
      child.kill("SIGKILL");
      await ended;
    });
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
    startRelay: (transport, options) => {
      const relay = closing(startRelay({ db, transport, source: "stage", telemetry, ...options }));
      relays.push(relay);
      return relay;
    },
    startRelayWithout: (natsUrl, removed) => startWithout("relay-process.ts", natsUrl, removed),
    startConsumerWithout: (natsUrl, removed, together) =>
      startWithout("batch-process.ts", natsUrl, removed, { DELIVERED_TOGETHER: String(together) }),
    startConsumer: (transport, options) => {
      const effects = [effect(EnvironmentDeletedSchema, count)];
      return closing(startConsumer({ db, transport, name: "stage", effects, telemetry, ...options }));
    },
    append: async (names) => {
      for (const environmentId of names) {
        await commit(async (tx) => appendEvent(tx, EnvironmentDeletedSchema, { environmentId }));
      }
    },
    appendTogether: (names) =>
      commit(async (tx) =>
        appendEvents(
          tx,
          EnvironmentDeletedSchema,
          names.map((environmentId) => ({ environmentId })),
        ),
      ),
    counts,
    settled: (names) =>
      waitFor(
        async () => {
          const { rowCount } = await db.read(statement`
            select
            from outbox
            where published_at is null
            limit 1`);
          const applied = await counts();
          return rowCount === 0 && names.every((name) => name in applied) ? applied : undefined;
        },
        { deadlineMs: 30_000 },
      ),
    metric,
    metricReaches: async (name, value) => {
      await waitFor(async () => (await metric(name)) === value || undefined, { deadlineMs: 30_000 });
    },
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}
