/** A limit on work in flight that follows the latency of the work. */
export interface AdaptiveLimit {
  readonly current: number;
  /** Reports a piece of work that took `ms` milliseconds; `full` if the limit was reached meanwhile. */
  observe(ms: number, full: boolean, now: number): void;
}

/**
 * The range of the limit. Even two cores that are busy with everything else serve 128 requests within half a second;
 * 1,024 is what the pools of connections behind it let wait.
 */
const RANGE = { least: 128, first: 256, most: 1_024 };
/** Mean latency above which work only queues: of an idle system it is 5 to 30 ms. */
const TARGET_MS = 250;
/** Each step follows at least this much evidence, so that one slow request decides nothing. */
const STEP = { observations: 20, ms: 100 };

/**
 * Raises the limit by a tenth while it is reached and the mean latency is below 250 ms, and lowers it by a tenth while the
 * latency is above that: more in flight would then only wait longer.
 */
export function createAdaptiveLimit(): AdaptiveLimit {
  let current = RANGE.first;
  let step = { since: Number.NaN, count: 0, sum: 0, full: false };
  return {
    get current() {
      return current;
    },
    observe(ms, full, now) {
      if (step.count === 0) step.since = now;
      step.count++;
      step.sum += ms;
      step.full ||= full;
      if (step.count < STEP.observations || now - step.since < STEP.ms) return;
      if (step.sum / step.count > TARGET_MS) current = Math.max(RANGE.least, Math.floor(current * 0.9));
      else if (step.full) current = Math.min(RANGE.most, Math.ceil(current * 1.1));
      step = { since: now, count: 0, sum: 0, full: false };
    },
  };
}
