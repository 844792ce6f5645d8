import { type Database, listen } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { EventTransport } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { backoff, pause } from "../pause.ts";
import { createSlots } from "../slots.ts";
import { createWake } from "../wake.ts";
import { createOutboxCheck } from "./check-outbox.ts";
import { claimEvents, type OutboxRow, selectUnpublishedEvents } from "./outbox-sql.ts";
import { publishBatch } from "./publish-batch.ts";
import { purge } from "./purge.ts";

export interface RelayOptions {
  db: Database;
  transport: EventTransport;
  /** The service that owns the events: the CloudEvents source. */
  source: string;
  telemetry: Telemetry;
  /** Only for the controls of tests: what is `false` is left out. */
  protections?: { rewind?: false; lease?: false };
}

/** Events that are claimed, and recorded as published, in one statement. */
const BATCH = 100;

/**
 * Milliseconds of rest after a claim, by how many events it found: one that comes alone goes at once, of a burst the next
 * ones gather meanwhile. A claim costs about a millisecond, for one event as for a hundred.
 */
const restAfter = (claimed: number) => Math.min(2 * claimed, 20);

/**
 * Publishes the committed events of an outbox, for ever. Several may share one outbox. Woken by NOTIFY, and every second
 * as a safety net; then it also compares what was published with what the stream has, and publishes again what is lost.
 */
export function startRelay(options: RelayOptions): { stop(): Promise<void> } {
  const { db, transport, telemetry } = options;
  const stopping = new AbortController();
  const wake = createWake();
  const relay = createRelay(options);
  const check = () => {
    relay.checkIsDue();
    wake.now();
  };
  const listener = listen({ db, channel: `outbox_${db.schema}`, onNotification: wake.now, log: telemetry.log });
  const endStatus = transport.onStatusChange(check);
  const second = setInterval(check, 1000);
  const purgeAll = () =>
    void purge(db).catch((error: unknown) => telemetry.log.warn({ err: error }, "the purge of old events failed"));
  const hour = setInterval(purgeAll, 3_600_000);
  purgeAll();
  const running = relay.run(wake.wait, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      for (const timer of [second, hour]) clearInterval(timer);
      endStatus();
      wake.now();
      await Promise.all([listener.stop(), running]);
    },
  };
}

/** The loop and its state: what it knows of the stream, and how often it failed in a row. */
function createRelay({ db, transport, source, telemetry, protections = {} }: RelayOptions) {
  const { log } = telemetry;
  const metrics = messagingMetrics(telemetry.metrics);
  const claim = protections.lease === false ? selectUnpublishedEvents : claimEvents;
  const slots = createSlots(4); // batches on their way, so that one slow answer does not hold up the next event
  const rewind = protections.rewind !== false;
  const outbox = createOutboxCheck({ db, transport, source, metrics, log, rewind, idle: slots.idle });
  let streamCreatedAt: string | undefined;
  let due = true;
  let failures = 0;

  const onFailure = (error: unknown) => {
    failures++;
    due = true;
    log.warn({ err: error, source, failures }, "events could not be published; they stay in the outbox");
  };

  const send = async (createdAt: string, batch: readonly OutboxRow[]) => {
    const { published, error } = await publishBatch({ db, transport, source, streamCreatedAt: createdAt }, batch);
    metrics.published.inc({ source }, published);
    if (error !== undefined) throw error;
    failures = 0;
  };

  /** Answers how many events are on their way now. */
  const step = async (): Promise<number> => {
    if (due) {
      due = false;
      streamCreatedAt = await outbox.check();
    }
    const createdAt = streamCreatedAt;
    const batch = createdAt !== undefined && transport.isConnected() ? await claim(db, BATCH) : [];
    if (createdAt === undefined || batch.length === 0) {
      failures = 0;
      return 0;
    }
    const giveBack = await slots.take();
    void send(createdAt, batch).catch(onFailure).finally(giveBack);
    return batch.length;
  };

  const run = async (wait: () => Promise<void>, stop: AbortSignal) => {
    while (!stop.aborted) {
      const claimed = (await step().catch(onFailure)) ?? 0;
      if (failures > 0) await pause(backoff(failures, 50, 1000), stop);
      else if (claimed < BATCH) {
        await pause(restAfter(claimed), stop);
        await wait(); // what was committed meanwhile has rung the bell
      }
    }
    outbox.stop();
    await slots.idle();
  };

  const checkIsDue = () => {
    due = true;
  };
  return { run, checkIsDue };
}
