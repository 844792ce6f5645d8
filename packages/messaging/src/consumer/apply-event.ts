import { applyOnce } from "./apply-once.ts";
import { attempt, type Outcome, type RunStep, resultOf } from "./attempt.ts";
import type { Received } from "./effect.ts";
import type { Handling } from "./handling.ts";

/**
 * Batches the first attempt with other events. Later attempts run alone, because a failing event fails its whole batch,
 * and one that waits for a lock makes its whole batch wait.
 */
export async function applyEvent(
  handling: Handling,
  received: Received<unknown>,
  tries: number,
): Promise<Outcome<undefined>> {
  const { context, effect, applyInBatch, over, labels } = handling;
  const { db, consumer, semaphore, metrics } = context;
  const applyAlone = async () => (await applyOnce(db, consumer, effect, [received]))[0] === true;
  let isFirst = tries === 1;
  const applyWithOthersOnce = () => {
    if (!isFirst) return semaphore.run(applyAlone);
    isFirst = false;
    return applyInBatch(received, over);
  };
  const isNew = resultOf(await attempt(context, over, immediately, applyWithOthersOnce));
  if (isNew === "over") return "over";
  (isNew ? metrics.consumed : metrics.duplicates).inc(labels);
  return { result: undefined };
}

/** A batch acquires its own permit when it begins, and so does a single event. */
const immediately: RunStep = (work) => work();
