import { Counter, Gauge } from "prom-client";
import type { Telemetry } from "../telemetry/telemetry.ts";

/**
 * Bounds the work that a program has in flight; what is beyond the limit is refused immediately, never queued. One
 * caller may have all of it while it is alone, and half of it while there are others.
 */
export interface Admission {
  /** Runs `work`, or throws what `refuse` returns if the limit is reached. Work without a caller has no share. */
  run<T>(work: () => Promise<T>, caller?: string): Promise<T>;
  /**
   * Returns whether the limit is not reached, and counts a refusal otherwise: for a check before anything is read.
   * Throwing is a tenth of the cost of such a refusal.
   */
  hasRoom(caller?: string): boolean;
  /** Throws what `refuse` returns unless there is room. */
  assertRoom(caller?: string): void;
}

/** A fixed limit, or `auto`: found from the latency of the work. */
export type InFlightLimit = number | "auto";

interface AdmissionOptions {
  readonly limit: InFlightLimit;
  readonly metrics: AdmissionMetrics;
  /** The kind of work, a label of the metrics. */
  readonly work: string;
  /** Creates the error for work that is refused. */
  readonly refuse: () => Error;
}

export function createAdmission({ limit, metrics, work, refuse }: AdmissionOptions): Admission {
  const adaptive = limit === "auto" ? createAdaptiveLimit() : undefined;
  const max = () => adaptive?.current ?? (limit as number);
  const refused = metrics.refused.labels(work);
  refused.inc(0);
  let inFlight = 0;
  const callers = createCallers();
  let reached = false;
  metrics.follow(work, () => ({ inFlight, limit: max() }));

  const hasRoom = (caller?: string) => {
    const limit = max();
    const share = callers.shareOf(caller, limit); // protects: share-of-a-caller
    if (inFlight < limit && callers.heldBy(caller) < share) return true;
    reached = true;
    refused.inc();
    return false;
  };
  const assertRoom = (caller?: string) => {
    if (!hasRoom(caller)) throw refuse();
  };
  return {
    hasRoom,
    assertRoom,
    async run(task, caller) {
      assertRoom(caller);
      inFlight++;
      callers.count(1, caller);
      const began = performance.now();
      try {
        return await task();
      } finally {
        const now = performance.now();
        inFlight--;
        callers.count(-1, caller);
        adaptive?.observe(now - began, reached, now);
        reached = false;
      }
    },
  };
}

/** Milliseconds after its last request for which a caller without work in flight still counts as there. */
const THERE_MS = 1_000;

/** Counts the work in flight of each caller. */
function createCallers() {
  const held = new Map<string, number>();
  let last: { readonly caller?: string; readonly at: number } = { at: Number.NEGATIVE_INFINITY };
  /** The time of the last request by another caller than the last one. */
  let otherAt = Number.NEGATIVE_INFINITY;
  return {
    heldBy: (caller: string | undefined) => (caller === undefined ? 0 : (held.get(caller) ?? 0)),
    /** Returns how much of the limit a caller that asks now may have. */
    shareOf(caller: string | undefined, limit: number): number {
      if (caller === undefined) return limit;
      const at = performance.now();
      if (caller !== last.caller) otherAt = last.at;
      last = { caller, at };
      const others = held.has(caller) ? held.size - 1 : held.size;
      return others === 0 && at - otherAt > THERE_MS ? limit : limit / 2;
    },
    count(by: 1 | -1, caller: string | undefined): void {
      if (caller === undefined) return;
      const now = (held.get(caller) ?? 0) + by;
      if (now === 0) held.delete(caller);
      else held.set(caller, now);
    },
  };
}

/** The metrics of all admissions of a program. */
interface AdmissionMetrics {
  readonly refused: Counter<"work">;
  /** Reads the state of an admission whenever the metrics are read: a request only counts in a variable. */
  follow(work: string, read: () => AdmissionState): void;
}

interface AdmissionState {
  readonly inFlight: number;
  readonly limit: number;
}

export function createAdmissionMetrics({ metrics }: Telemetry): AdmissionMetrics {
  const labels = { labelNames: ["work"] as const, registers: [metrics] };
  const followed = new Map<string, () => AdmissionState>();
  const gauge = (name: string, help: string, field: keyof AdmissionState) =>
    new Gauge({
      name,
      help,
      ...labels,
      collect() {
        for (const [work, read] of followed) this.set({ work }, read()[field]);
      },
    });
  gauge("admission_limit", "How much work may be in flight.", "limit");
  gauge("admission_in_flight", "How much work is in flight.", "inFlight");
  return {
    refused: new Counter({ name: "admission_refused_total", help: "Work refused at the limit.", ...labels }),
    follow: (work, read) => void followed.set(work, read),
  };
}

/** A limit on work in flight that follows the latency of the work. */
interface AdaptiveLimit {
  readonly current: number;
  /** Reports a piece of work that took `ms` milliseconds; `full` if the limit was reached meanwhile. */
  observe(ms: number, full: boolean, now: number): void;
}

/**
 * The range of the limit. Even two cores that are busy with everything else serve 128 requests within half a second;
 * 1,024 is what the pools of connections behind it let wait.
 */
const RANGE = { min: 128, first: 256, max: 1_024 };
/** Mean latency in milliseconds above which work only queues; in an idle system it is 5 to 30. */
const TARGET_MS = 250;
/** The least evidence for a step, so that one slow request decides nothing. */
const STEP = { observations: 20, ms: 100 };

/**
 * Raises the limit by a tenth while it is reached and the mean latency is below 250 ms, and lowers it by a tenth while
 * the latency is above that: more in flight would then only wait longer.
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
      if (step.sum / step.count > TARGET_MS) current = Math.max(RANGE.min, Math.floor(current * 0.9));
      else if (step.full) current = Math.min(RANGE.max, Math.ceil(current * 1.1));
      step = { since: now, count: 0, sum: 0, full: false };
    },
  };
}
