import type { Database, Reader } from "@cloud/postgres";
import type { Logger } from "@cloud/runtime/telemetry";
import type { Delivery } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { replayParked, selectUnknownEvents, type UnknownEvent } from "../parked-messages.ts";
import { pause } from "../pause.ts";
import type { Effect } from "./effect.ts";
import { countParked, type Parking, upsertParkedMessage } from "./inbox-sql.ts";

/** The part of a delivery's context that parking needs. */
export interface ParkingContext {
  readonly db: Database;
  readonly consumer: string;
  readonly metrics: MessagingMetrics;
  /** The labels of metrics and log lines. */
  readonly labels: { readonly consumer: string; readonly type: string };
}

/** Stores a message that cannot be applied, with the reason, so that it can be acknowledged and replayed later. */
export async function parkMessage(
  { consumer, db, metrics, labels }: ParkingContext,
  delivery: Delivery,
  parking: Parking,
): Promise<void> {
  await upsertParkedMessage(db, consumer, delivery, parking);
  metrics.parked.inc(labels);
  if (parking.reason === "refuted") metrics.refuted.inc(labels);
}

/** Milliseconds between two counts. The table is small, and an alert waits for minutes. */
const EVERY_MS = 5_000;

/**
 * Counts the parked messages of a consumer in the table until `signal`, so that the gauge is right after a restart,
 * too.
 */
export async function followParked(
  db: Reader,
  consumer: string,
  metrics: MessagingMetrics,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const [reason, rows] of await countParked(db, consumer)) metrics.parkedRows.set({ consumer, reason }, rows);
    } catch (err) {
      log.debug({ err }, "parked messages could not be counted");
    }
    await pause(EVERY_MS, signal);
  }
}

/** Events held in memory at a time. An owner accepts at most 1,000 ids per call. */
const PAGE_SIZE = 500;
/** Bounds a pass; the next one starts at the oldest event again, whose record the owner may have by then. */
const MAX_PAGES = 20;

interface Reverified {
  /** Events sent to the consumer again, because their owner now has their record. */
  readonly replayed: number;
  /** Ids of the parked events whose record is still unknown to its owner. */
  readonly unknown: readonly string[];
}

/**
 * Checks again the deletions that were parked because their owner did not have the record, and replays those whose
 * record it now has. The consumer verifies them again before it applies them. An owner that cannot be reached leaves
 * its events parked. A dry run replays none.
 */
export async function reverifyUnknown(
  db: Database,
  effects: readonly Effect[],
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Reverified> {
  const unknown: string[] = [];
  let replayed = 0;
  let after = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const events = await selectUnknownEvents(db, after, PAGE_SIZE);
    const verdicts = await Promise.all(events.map((event) => verdictOn(event, effects)));
    const known = events.filter((_, index) => verdicts[index] !== "unknown");
    unknown.push(...events.filter((event) => !known.includes(event)).map(({ id }) => id));
    if (known.length > 0 && !dryRun) {
      replayed += await replayParked(
        db,
        known.map(({ id }) => id),
      );
    }
    if (events.length < PAGE_SIZE) break;
    after = events.at(-1)?.id ?? "";
  }
  return { replayed, unknown };
}

/** Asks the owner of a record. An event whose type this release no longer consumes stays parked. */
async function verdictOn({ subject, payload }: UnknownEvent, effects: readonly Effect[]) {
  const effect = effects.find((candidate) => candidate.subject === subject);
  if (effect === undefined) return "unknown";
  return await effect.verify(effect.decode(payload)).catch(() => "unknown" as const);
}
