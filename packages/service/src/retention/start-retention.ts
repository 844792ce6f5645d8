import { setTimeout as delay } from "node:timers/promises";
import { inPurgingSession, purgeTable } from "@cloud/postgres";
import { Counter, type Telemetry } from "@cloud/telemetry";
import type { Purge } from "./purges-of.ts";

export interface RetentionOptions {
  /** The service's database, to which each purge opens a connection of its own. */
  readonly url: string;
  readonly schema: string;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
}

/** Between two purges, in milliseconds. */
const EVERY_MS = 3_600_000;

/**
 * Deletes old rows now and every hour, in the background, one replica at a time. `stop` waits for the batch that runs.
 */
export function startRetention({ url, schema, purges, telemetry }: RetentionOptions): { stop(): Promise<void> } {
  const { log, metrics } = telemetry;
  const stopping = new AbortController();
  const purged = new Counter({
    name: "purged_rows_total",
    help: "Old rows that were deleted from the outbox, the inbox and the logs.",
    labelNames: ["table"],
    registers: [metrics],
  });
  for (const { table } of purges) purged.inc({ table: table.name }, 0);
  const purge = async () => {
    const session = { url, schema, applicationName: `${schema} retention`, log };
    await inPurgingSession(session, async (db) => {
      for (const { table, days } of purges) {
        const deleted = await purgeTable(db, table, { days, signal: stopping.signal });
        purged.inc({ table: table.name }, deleted);
        if (deleted > 0) log.info({ table: table.name, days, deleted }, "old rows were deleted");
      }
    });
  };
  const repeat = async () => {
    while (!stopping.signal.aborted) {
      await purge().catch((err: unknown) => log.warn({ err }, "old rows were not deleted"));
      await delay(EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = repeat();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
