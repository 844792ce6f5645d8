import type { Database } from "@cloud/postgres";
import { createSemaphore } from "@cloud/program";
import type { Telemetry } from "@cloud/telemetry";
import type { EventTransport } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { backoff, pause } from "../pause.ts";
import { checkOutbox } from "./check-outbox.ts";
import { claimEvents, type OutboxRow } from "./outbox-sql.ts";
import { publishBatch } from "./publish-batch.ts";

export interface RelayOptions {
  db: Database;
  transport: EventTransport;
  /** The service that owns the events: the CloudEvents source. */
  source: string;
  telemetry: Telemetry;
}

/**
 * The most events claimed, and recorded as published, in one statement. Of a backlog, Postgres takes 62 µs per event for
 * both statements in batches of 100, 41 in batches of 250 and 37 in batches of 500.
 */
const BATCH = 250;

/** So that one slow response does not delay the next event. */
const BATCHES_IN_FLIGHT = 4;

/**
 * Milliseconds to pause after a claim, by the number of events it returned: a single event is sent immediately; during
 * a burst, events accumulate into a batch. A claim costs about a millisecond, for one event as for a hundred.
 */
const restAfter = (claimed: number) => Math.min(2 * claimed, 20);

/** Claims and publishes batches. Its state: the stream's creation stamp and the number of consecutive failures. */
export function createRelayLoop({ db, transport, source, telemetry }: RelayOptions) {
  const { log, tracing } = telemetry;
  const metrics = messagingMetrics(telemetry.metrics);
  // From 0, so that the first increase is seen as one.
  for (const counter of [metrics.published, metrics.lost, metrics.republished]) counter.inc({ source }, 0);
  const semaphore = createSemaphore({ max: BATCHES_IN_FLIGHT });
  let streamCreatedAt: string | undefined;
  let due = true;
  let failures = 0;

  const onFailure = (error: unknown) => {
    failures++;
    due = true;
    log.warn({ err: error, source, failures }, "events could not be published; they stay in the outbox");
  };

  const send = async (createdAt: string, batch: readonly OutboxRow[]) => {
    const context = { db, transport, source, tracing, streamCreatedAt: createdAt };
    const { published, republished, error } = await publishBatch(context, batch);
    metrics.published.inc({ source }, published);
    metrics.republished.inc({ source }, republished);
    if (republished > 0) log.info({ source, republished }, "events that the stream had lost are stored again");
    if (error !== undefined) throw error;
    failures = 0;
  };

  /** Returns the number of events it sent. */
  const step = async (): Promise<number> => {
    if (due) {
      due = false;
      streamCreatedAt = await checkOutbox({ db, transport, source, metrics, log });
    }
    const createdAt = streamCreatedAt;
    const batch = createdAt !== undefined && transport.isConnected() ? await claimEvents(db, BATCH) : [];
    if (createdAt === undefined || batch.length === 0) {
      failures = 0;
      return 0;
    }
    const release = await semaphore.acquire();
    void send(createdAt, batch).catch(onFailure).finally(release);
    return batch.length;
  };

  const run = async (wait: () => Promise<void>, stop: AbortSignal) => {
    while (!stop.aborted) {
      const claimed = (await step().catch(onFailure)) ?? 0;
      if (failures > 0) await pause(backoff(failures, 50, 1000), stop);
      else if (claimed < BATCH) {
        await pause(restAfter(claimed), stop);
        await wait(); // a commit during the pause has already woken us, so this returns at once
      }
    }
    // With all permits, no batch is in flight.
    for (let held = 0; held < BATCHES_IN_FLIGHT; held++) await semaphore.acquire();
  };

  const checkIsDue = () => {
    due = true;
  };
  return { run, checkIsDue };
}
