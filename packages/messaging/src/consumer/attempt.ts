import { DatabaseUnavailable } from "@cloud/postgres";
import { backoff, pause } from "../pause.ts";
import type { Semaphore } from "../semaphore.ts";
import type { ConsumerContext } from "./consumer-context.ts";

/** How a step ended: with a result, because its session or consumer ended ("over"), or with an error. */
export type Outcome<T> = { readonly result: T } | "over" | { readonly error: unknown };

/** Runs work as soon as the semaphore permits it. */
export type RunStep = Semaphore["run"];

/** Runs `work` under the semaphore, and repeats it while the database is unavailable. */
export async function attempt<T>(
  { log }: ConsumerContext,
  over: AbortSignal,
  runStep: RunStep,
  work: () => Promise<T | "over">,
): Promise<Outcome<T>> {
  for (let faults = 1; ; faults++) {
    try {
      const result = await runStep(async () => (over.aborted ? "over" : await work()));
      return result === "over" ? "over" : { result };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) return { error };
      log.debug({ err: error, faults }, "an event waits for the database");
    }
    await pause(backoff(faults, 50, 1000), over);
  }
}

/** @throws the error of an outcome, if it has one */
export function resultOf<T>(outcome: Outcome<T>): T | "over" {
  if (outcome === "over") return "over";
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}
