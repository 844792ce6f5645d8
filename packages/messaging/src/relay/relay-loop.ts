import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { EventTransport } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { backoff, pause } from "../pause.ts";
import { createSlots } from "../slots.ts";
import { createOutboxCheck } from "./check-outbox.ts";
import { claimEvents, type OutboxRow, selectUnpublishedEvents } from "./outbox-sql.ts";
import { publishBatch } from "./publish-batch.ts";

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

/** Claims and publishes batches. Its state: what it knows of the stream, and how often it failed in a row. */
export function createRelayLoop({ db, transport, source, telemetry, protections = {} }: RelayOptions) {
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
