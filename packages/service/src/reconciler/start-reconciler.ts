import { setTimeout as delay } from "node:timers/promises";
import { Counter, describeError, type Telemetry } from "@cloud/telemetry";
import { reconcile } from "./reconcile.ts";
import type { ReferenceKind } from "./reference-kind.ts";

export interface ReconcilerOptions {
  readonly kinds: readonly ReferenceKind[];
  readonly telemetry: Telemetry;
  /** Between two passes, and before the first, in milliseconds; 5 minutes where it is absent. */
  readonly everyMs?: number;
  /** How long an event may be on its way before its effect counts as missing, in milliseconds; 30 seconds. */
  readonly graceMs?: number;
}

/**
 * Looks, again and again, for references to records that are gone. The event path leaves none: a repair means that
 * something is wrong with it, and the counter `reconciler_repairs_total` should stay 0. Replicas may run it side by side.
 */
export function startReconciler(options: ReconcilerOptions): { stop(): Promise<void> } {
  const { kinds, telemetry, everyMs = 300_000, graceMs = 30_000 } = options;
  const stopping = new AbortController();
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal, ref: false });
  const repairs = new Counter({
    name: "reconciler_repairs_total",
    help: "References to records that were gone, ended by the reconciler. Should stay 0.",
    labelNames: ["kind"],
    registers: [telemetry.metrics],
  });
  const pass = async (kind: ReferenceKind) => {
    repairs.inc({ kind: kind.name }, 0);
    const repaired = await reconcile(kind, () => pause(graceMs));
    if (repaired > 0) {
      repairs.inc({ kind: kind.name }, repaired);
      telemetry.log.error({ kind: kind.name, repaired }, "references to records that are gone were ended");
    }
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      await pause(everyMs).catch(() => undefined);
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
