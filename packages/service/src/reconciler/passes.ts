import { type Effect, reverifyUnknown } from "@cloud/messaging";
import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { LocalLinks } from "./local-links.ts";
import { type Cursor, type Differences, fromTheBeginning } from "./look-for-differences.ts";
import { reconcile } from "./reconcile.ts";
import type { ReconcilerMetrics } from "./reconciler-metrics.ts";
import type { ReferenceKind } from "./reference-kind.ts";
import { sweepLocalLinks } from "./sweep-local-links.ts";
import { createUnknownReport } from "./unknown-report.ts";

/** A repeated part of the reconciler. It keeps its cursor, and reports what it finds. */
export interface Pass {
  /** Used in log lines and metrics. */
  readonly name: string;
  run(): Promise<void>;
}

export function passOverKind(
  kind: ReferenceKind,
  grace: () => Promise<void>,
  telemetry: Telemetry,
  metrics: ReconcilerMetrics,
): Pass {
  const { name } = kind;
  const { log } = telemetry;
  const reportUnknown = createUnknownReport(kind, telemetry, metrics);
  let cursor: Cursor = fromTheBeginning;
  for (const counter of [metrics.repairs, metrics.cleared]) counter.inc({ kind: name }, 0);
  const run = async () => {
    const onFound = (found: Differences) => reportUnknown(found.unknown, found.cursor.inUse === "");
    const pass = await reconcile(kind, { cursor, grace, onFound });
    cursor = pass.cursor;
    reportEnded(name, pass.ended, telemetry, metrics);
    metrics.cleared.inc({ kind: name }, pass.cleared);
    if (pass.cleared > 0) log.error({ kind: name, cleared: pass.cleared }, "tombstones of live records were cleared");
  };
  return { name, run };
}

export function passOverLocalLinks(links: LocalLinks, telemetry: Telemetry, metrics: ReconcilerMetrics): Pass {
  const { name } = links;
  let cursor = "";
  metrics.repairs.inc({ kind: name }, 0);
  const run = async () => {
    const sweep = await sweepLocalLinks(links, cursor);
    cursor = sweep.cursor;
    reportEnded(name, sweep.ended, telemetry, metrics);
  };
  return { name, run };
}

export function passOverParkedDeletions(
  db: Database,
  effects: readonly Effect[],
  { log, conditions }: Telemetry,
  metrics: ReconcilerMetrics,
): Pass {
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

function reportEnded(kind: string, repaired: number, { log }: Telemetry, metrics: ReconcilerMetrics): void {
  metrics.repairs.inc({ kind }, repaired);
  if (repaired > 0) log.error({ kind, repaired }, "references to deleted records were ended");
}
