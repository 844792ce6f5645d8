import { setTimeout as delay } from "node:timers/promises";
import type { EventTransport } from "@cloud/messaging";
import { Counter, describeError, type Telemetry } from "@cloud/telemetry";
import { reconcile } from "./reconcile.ts";
import type { ReferenceKind } from "./reference-kind.ts";
import { waitConnected } from "./wait-connected.ts";

export interface ReconcilerTimes {
  /** Between two passes, and before the first, in milliseconds; 5 minutes where it is absent. */
  readonly everyMs?: number;
  /**
   * How long an event may be on its way before its effect counts as missing, in milliseconds; 30 seconds. Longer than a
   * relay's lease and a consumer's time to acknowledge together (10 s each): both may die with an event in their hands.
   */
  readonly graceMs?: number;
}

export interface ReconcilerOptions extends ReconcilerTimes {
  readonly kinds: readonly ReferenceKind[];
  readonly transport: Pick<EventTransport, "isConnected" | "onStatusChange">;
  readonly telemetry: Telemetry;
}

/**
 * Looks, again and again, for references to records that are gone. The event path leaves none: a repair means that
 * something is wrong with it, and the counter `reconciler_repairs_total` should stay 0. Replicas may run it side by side.
 */
export function startReconciler(options: ReconcilerOptions): { stop(): Promise<void> } {
  const { kinds, transport, telemetry, everyMs = 300_000, graceMs = 30_000 } = options;
  const stopping = new AbortController();
  const metrics = reconcilerMetrics(telemetry);
  const pass = async (kind: ReferenceKind) => {
    metrics.repairs.inc({ kind: kind.name }, 0);
    const repaired = await reconcile(kind, () => waitConnected(transport, graceMs, stopping.signal));
    metrics.passes.inc({ kind: kind.name });
    if (repaired > 0) {
      metrics.repairs.inc({ kind: kind.name }, repaired);
      telemetry.log.error({ kind: kind.name, repaired }, "references to records that are gone were ended");
    }
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      for (const kind of stopping.signal.aborted ? [] : kinds) {
        await pass(kind).catch((error: unknown) => {
          if (!stopping.signal.aborted) {
            telemetry.log.warn({ kind: kind.name, error: describeError(error) }, "a reconciler's pass was cut short");
          }
        });
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

function reconcilerMetrics({ metrics }: Telemetry) {
  const labels = { labelNames: ["kind"] as const, registers: [metrics] };
  return {
    passes: new Counter({ name: "reconciler_passes_total", help: "Passes that came to their end.", ...labels }),
    repairs: new Counter({
      name: "reconciler_repairs_total",
      help: "References to records that were gone, ended by the reconciler. Should stay 0.",
      ...labels,
    }),
  };
}
