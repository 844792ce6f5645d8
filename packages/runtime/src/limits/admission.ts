import { Counter, Gauge } from "prom-client";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** Bounds the work that a program has in flight; what is beyond the limit is refused immediately, never queued. */
export interface Admission {
  /** Runs `work`, or throws what `refuse` returns if the limit is reached. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Returns whether the limit is not reached, and counts a refusal otherwise: for a check before anything is read.
   * Throwing is a tenth of the cost of such a refusal.
   */
  hasRoom(): boolean;
  /** Throws what `refuse` returns unless there is room. */
  assertRoom(): void;
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
  let reached = false;
  metrics.follow(work, () => ({ inFlight, limit: max() }));

  const hasRoom = () => {
    if (inFlight < max()) return true;
    reached = true;
    refused.inc();
    return false;
  };
  const assertRoom = () => {
    if (!hasRoom()) throw refuse();
  };
  return {
    hasRoom,
    assertRoom,
    async run(task) {
      assertRoom();
      inFlight++;
      const began = performance.now();
      try {
        return await task();
      } finally {
        const now = performance.now();
        inFlight--;
        adaptive?.observe(now - began, reached, now);
        reached = false;
      }
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
