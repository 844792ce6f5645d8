import { backoff, pause } from "../pause.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import type { Effect } from "./effect.ts";
import { Unreadable } from "./unreadable.ts";
import type { Verdict } from "./verdict.ts";

/** Limits warnings to about one a minute per event. */
const WARN_EVERY = 12;

/**
 * Retries until the owner replies. Holds no permit meanwhile, so an unresponsive owner delays only the events about its
 * own records.
 *
 * @throws Unreadable if the event contains no record id
 */
export async function verifyEvent(
  { log }: ConsumerContext,
  { verify }: Effect,
  event: unknown,
  labels: object,
  over: AbortSignal,
): Promise<Verdict | "over"> {
  for (let faults = 1; !over.aborted; faults++) {
    try {
      return await verify(event);
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      const level = faults % WARN_EVERY === 1 ? "warn" : "debug"; // hundreds of events may be waiting at once
      log[level]({ err: error, ...labels, faults }, "an event waits for the owner of its record");
    }
    await pause(backoff(faults, 100, 5000), over);
  }
  return "over";
}
