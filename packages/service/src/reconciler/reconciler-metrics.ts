import { Counter, Gauge, type Telemetry } from "@cloud/telemetry";

export type ReconcilerMetrics = ReturnType<typeof reconcilerMetrics>;

export function reconcilerMetrics({ metrics }: Telemetry) {
  const labels = { labelNames: ["kind"] as const, registers: [metrics] };
  return {
    passes: new Counter({ name: "reconciler_passes_total", help: "Passes that reached their end.", ...labels }),
    skipped: new Counter({
      name: "reconciler_skipped_total",
      help: "Passes given up because the owner could not be reached, or answered from another database.",
      ...labels,
    }),
    repairs: new Counter({
      name: "reconciler_repairs_total",
      help: "References to deleted records that the reconciler deleted. Should stay 0.",
      ...labels,
    }),
    cleared: new Counter({
      name: "reconciler_tombstones_cleared_total",
      help: "Tombstones of live records that the reconciler cleared. Should stay 0.",
      ...labels,
    }),
    unknown: new Gauge({
      name: "reconciler_unknown_references",
      help: "Records in use here that their owner does not have. Should be 0; deleted by command only.",
      ...labels,
    }),
    unknownDeletions: new Gauge({
      name: "reconciler_unknown_deletions",
      help: "Parked deletions whose owner does not have the record. Should be 0.",
      registers: [metrics],
    }),
  };
}
