import type { Telemetry } from "@cloud/telemetry";
import type { ReconcilerMetrics } from "./reconciler-metrics.ts";
import type { ReferenceKind } from "./reference-kind.ts";

/** Number of unknown ids in the log line; the operator's command lists all of them. */
const NAMED = 10;

/**
 * Reports references whose owner does not have the record, as metric, condition and log line. A walk through all
 * references may take several passes: until it ends, the last complete count stands unless this one is higher.
 */
export function createUnknownReport(
  { name, owner }: ReferenceKind,
  { log, conditions }: Telemetry,
  metrics: ReconcilerMetrics,
): (ids: readonly string[], isEndOfWalk: boolean) => void {
  const condition = `unknown-${name}`;
  let [counted, complete] = [0, 0];
  metrics.unknown.set({ kind: name }, 0);
  return (ids, isEndOfWalk) => {
    counted += ids.length;
    const unknown = isEndOfWalk ? counted : Math.max(complete, counted);
    if (isEndOfWalk) [counted, complete] = [0, counted];
    metrics.unknown.set({ kind: name }, unknown);
    if (unknown === 0) return conditions.clear(condition);
    const message = `${owner.name} does not know ${unknown} records that are in use here (${name}): they are left alone`;
    conditions.raise(condition, `${message}; see docs/runbooks/restore.md`);
    if (ids.length > 0) log.error({ kind: name, unknown: ids.length, ids: ids.slice(0, NAMED) }, message);
  };
}
