import { type Effect, reverifyUnknown } from "@cloud/events";
import type { Database } from "@cloud/postgres";
import { Counter, Gauge, type Telemetry } from "@cloud/runtime/telemetry";
import { type ReferenceSet, reconcile } from "./reconcile.ts";

/** A repeated part of the reconciler, which reports what it finds. */
export interface PeriodicJob {
  /** Used in log lines and metrics. */
  readonly name: string;
  /** Runs once. A job that may take long ends early once `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function reconcileReferences(
  kind: ReferenceSet,
  grace: () => Promise<void>,
  telemetry: Telemetry,
  metrics: ReconcilerMetrics,
): PeriodicJob {
  const { name } = kind;
  const { log } = telemetry;
  metrics.unknown.set({ kind: name }, 0);
  for (const counter of [metrics.repairs, metrics.cleared]) counter.inc({ kind: name }, 0);
  const run = async () => {
    const { ended, cleared } = await reconcile(kind, {
      grace,
      onFound: ({ unknown }) => reportUnknown(kind, unknown, telemetry, metrics),
    });
    metrics.repairs.inc({ kind: name }, ended);
    if (ended > 0) log.error({ kind: name, repaired: ended }, "references to deleted records were ended");
    metrics.cleared.inc({ kind: name }, cleared);
    if (cleared > 0) log.error({ kind: name, cleared }, "tombstones of live records were cleared");
  };
  return { name, run };
}

export function reverifyParked(
  db: Database,
  effects: readonly Effect[],
  { log, conditions }: Telemetry,
  metrics: ReconcilerMetrics,
): PeriodicJob {
  const condition = "unknown-deletions";
  const run = async () => {
    const { replayed, unknown } = await reverifyUnknown(db, effects);
    metrics.unknownDeletions.set(unknown.length);
    if (replayed > 0) log.info({ replayed }, "parked deletions are replayed: their owners have the records now");
    if (unknown.length === 0) return conditions.clear(condition);
    const message = `${unknown.length} deletions are parked whose owner does not know the record`;
    conditions.raise(condition, `${message}; see docs/runbooks/restore.md`);
  };
  return { name: "parked-deletions", run };
}

type ReconcilerMetrics = ReturnType<typeof reconcilerMetrics>;

export function reconcilerMetrics({ metrics }: Telemetry) {
  const labels = { labelNames: ["kind"] as const, registers: [metrics] };
  return {
    passes: new Counter({ name: "reconciler_passes_total", help: "Passes that reached their end.", ...labels }),
    skipped: new Counter({
      name: "reconciler_skipped_total",
      help: "Passes given up because the owner could not be reached.",
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

/** Reports references whose owner does not have the record, as metric, condition and log line. */
function reportUnknown(
  { name, owner }: ReferenceSet,
  ids: readonly string[],
  { log, conditions }: Telemetry,
  metrics: ReconcilerMetrics,
): void {
  const condition = `unknown-${name}`;
  metrics.unknown.set({ kind: name }, ids.length);
  if (ids.length === 0) {
    conditions.clear(condition);
    return;
  }
  const message = `${owner.name} does not know ${ids.length} records that are in use here (${name}): they are left alone`;
  conditions.raise(condition, `${message}; see docs/runbooks/restore.md`);
  log.error({ kind: name, unknown: ids.length, ids: ids.slice(0, NAMED) }, message);
}

/** The most unknown ids in a log line; the operator's command lists all of them. */
const NAMED = 10;
