import { setTimeout as delay } from "node:timers/promises";
import type { Effect, EventTransport } from "@cloud/events";
import type { Database } from "@cloud/postgres";
import { milliseconds } from "@cloud/runtime/settings";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { type PeriodicJob, reconcileReferences, reconcilerMetrics, reverifyParked } from "./periodic-jobs.ts";
import type { ReferenceSet } from "./reconcile.ts";

export interface ReconcilerTimes {
  /** Milliseconds between two passes, and before the first; 5 minutes if absent. */
  readonly everyMs?: number;
  /**
   * Milliseconds that an event may be in transit before its effect counts as missing; 30 seconds if absent. Longer than
   * a relay's lease plus a consumer's ack wait (10 s each), because both may die while holding an event.
   */
  readonly graceMs?: number;
}

interface ReconcilerOptions extends ReconcilerTimes {
  readonly db: Database;
  readonly references: readonly ReferenceSet[];
  /** Further work of the service; none if absent. */
  readonly jobs?: readonly PeriodicJob[];
  /** Effects whose parked events are verified again. */
  readonly effects: readonly Effect[];
  readonly transport: Pick<EventTransport, "isConnected" | "onStatusChange">;
  readonly telemetry: Telemetry;
}

/**
 * Repeatedly compares references with the records they name. The event path leaves no difference: a repair indicates a
 * defect in it, and `reconciler_repairs_total` should stay 0. Replicas may run it concurrently. A pass that fails is
 * skipped: without a reply nothing is changed. A pass that waits, for NATS or its owner, delays no other.
 */
export function startReconciler(options: ReconcilerOptions): { stop(): Promise<void> } {
  const { telemetry, everyMs = 300_000 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const metrics = reconcilerMetrics(telemetry);
  const repeat = async ({ name, run }: PeriodicJob) => {
    // From 0, so that the first increase is seen as one.
    for (const counter of [metrics.passes, metrics.skipped]) counter.inc({ kind: name }, 0);
    const skip = (error: unknown) => {
      if (signal.aborted) return;
      metrics.skipped.inc({ kind: name });
      telemetry.log.warn({ err: error, kind: name }, "a pass of the reconciler was given up");
    };
    for (;;) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await run(signal).then(() => metrics.passes.inc({ kind: name }), skip);
    }
  };
  const running = createPasses(options, metrics, signal).map(repeat);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function createPasses(options: ReconcilerOptions, metrics: ReturnType<typeof reconcilerMetrics>, stop: AbortSignal) {
  const { db, references, jobs = [], effects, transport, telemetry, graceMs = 30_000 } = options;
  const grace = () => waitConnected(transport, graceMs, stop);
  return [
    ...references.map((kind): PeriodicJob => reconcileReferences(kind, grace, telemetry, metrics)),
    reverifyParked(db, effects, telemetry, metrics),
    ...jobs,
  ];
}

/** The environment variable that the service and its command `reconcile` read. */
export const graceSettings = () => ({
  RECONCILER_GRACE_MS: milliseconds(30_000).describe(
    "how long an event may be under way before a difference counts as one, in milliseconds",
  ),
});

/**
 * Resolves once the connection to the stream has lasted for `ms` without interruption, counted from now: while events
 * cannot travel, no event counts as missing. Rejects when `stop` is aborted.
 */
export async function waitConnected(
  transport: Pick<EventTransport, "isConnected" | "onStatusChange">,
  ms: number,
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    const change = new AbortController();
    const signal = AbortSignal.any([stop, change.signal]);
    const unsubscribeStatus = transport.onStatusChange(() => change.abort());
    try {
      await delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false }); // protects: grace-period
      if (transport.isConnected()) return;
    } catch (error) {
      if (stop.aborted) throw error;
    } finally {
      unsubscribeStatus();
    }
  }
}

/** The wait while NATS is away; a status change ends it sooner. */
const A_DAY_MS = 86_400_000;
