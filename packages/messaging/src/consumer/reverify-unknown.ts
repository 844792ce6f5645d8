import type { Database } from "@cloud/postgres";
import { replayParked, selectUnknownEvents, type UnknownEvent } from "../parked-messages.ts";
import type { Effect } from "./effect.ts";

/** Events held in memory at a time. An owner accepts at most 1,000 ids per call. */
const PAGE_SIZE = 500;
/** Bounds a pass; the next one starts at the oldest event again, whose record the owner may have by then. */
const MAX_PAGES = 20;

export interface Reverified {
  /** Events sent to the consumer again, because their owner now has their record. */
  readonly replayed: number;
  /** Ids of the parked events whose record is still unknown to its owner. */
  readonly unknown: readonly string[];
}

/**
 * Checks again the deletions that were parked because their owner did not have the record, and replays those whose
 * record it now has. The consumer verifies them again before it applies them. An owner that cannot be reached leaves
 * its events parked.
 */
export async function reverifyUnknown(db: Database, effects: readonly Effect[]): Promise<Reverified> {
  const unknown: string[] = [];
  let replayed = 0;
  let after = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const events = await selectUnknownEvents(db, after, PAGE_SIZE);
    const verdicts = await Promise.all(events.map((event) => verdictOn(event, effects)));
    const known = events.filter((_, index) => verdicts[index] !== "unknown");
    unknown.push(...events.filter((event) => !known.includes(event)).map(({ id }) => id));
    if (known.length > 0) {
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

/** An event whose type this release no longer consumes stays parked. */
async function verdictOn({ subject, payload }: UnknownEvent, effects: readonly Effect[]) {
  const effect = effects.find((candidate) => candidate.subject === subject);
  if (effect === undefined) return "unknown";
  return await effect.verify(effect.decode(payload)).catch(() => "unknown" as const);
}
