import { Counter, Gauge, type Telemetry } from "@cloud/telemetry";
import { createAdaptiveLimit } from "./adaptive-limit.ts";

/** Bounds the work that a program has in flight; what is beyond the limit is refused immediately, never queued. */
export interface Admission {
  /** Runs `work`, or throws what `refuse` returns if the limit is reached. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws what `refuse` returns if the limit is reached: a check at the door, before anything is read. */
  assertRoom(): void;
}

/** A fixed limit, or `auto`: found from the latency of the work. */
export type InFlightLimit = number | "auto";

export interface AdmissionOptions {
  readonly limit: InFlightLimit;
  readonly metrics: AdmissionMetrics;
  /** The kind of work, a label of the metrics. */
  readonly work: string;
  /** Creates the error for work that is refused. */
  readonly refuse: () => Error;
}

export function createAdmission({ limit, metrics, work, refuse }: AdmissionOptions): Admission {
  const adaptive = limit === "auto" ? createAdaptiveLimit() : undefined;
  const most = () => adaptive?.current ?? (limit as number);
  const [limitGauge, inFlightGauge, refused] = [
    metrics.limit.labels(work),
    metrics.inFlight.labels(work),
    metrics.refused.labels(work),
  ];
  let inFlight = 0;
  let reached = false;
  limitGauge.set(most());

  const assertRoom = () => {
    if (inFlight < most()) return;
    reached = true;
    refused.inc();
    throw refuse();
  };
  return {
    assertRoom,
    async run(task) {
      assertRoom();
      inFlightGauge.set(++inFlight);
      const began = performance.now();
      try {
        return await task();
      } finally {
        const now = performance.now();
        inFlightGauge.set(--inFlight);
        adaptive?.observe(now - began, reached, now);
        reached = false;
        limitGauge.set(most());
      }
    },
  };
}

/** The metrics of all admissions of a program. */
export interface AdmissionMetrics {
  readonly limit: Gauge<"work">;
  readonly inFlight: Gauge<"work">;
  readonly refused: Counter<"work">;
}

export function createAdmissionMetrics({ metrics }: Telemetry): AdmissionMetrics {
  const labels = { labelNames: ["work"] as const, registers: [metrics] };
  return {
    limit: new Gauge({ name: "admission_limit", help: "How much work may be in flight.", ...labels }),
    inFlight: new Gauge({ name: "admission_in_flight", help: "How much work is in flight.", ...labels }),
    refused: new Counter({ name: "admission_refused_total", help: "Work refused at the limit.", ...labels }),
  };
}
