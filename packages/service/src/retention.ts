import { purgedInbox, purgedOutbox } from "@cloud/events";
import type { Database } from "@cloud/postgres";
import { type PurgedTable, purgeTable } from "@cloud/postgres/migrations";
import { whole } from "@cloud/runtime/settings";
import { Counter, type Telemetry } from "@cloud/runtime/telemetry";
import * as z from "zod";
import { purgedReplies } from "./idempotent-reply-sql.ts";
import type { PeriodicJob } from "./references/periodic-jobs.ts";

/** A table, and the age in days from which its rows are deleted. */
export interface Purge {
  readonly table: PurgedTable;
  readonly days: number;
}

/** Returns the purges of a service, `logs` being the append-only tables that `LOG_DAYS` purges. */
export function purgesOf(
  logs: readonly PurgedTable[],
  { LOG_DAYS: logDays, OUTBOX_DAYS: outboxDays }: Retention,
): readonly Purge[] {
  return [
    { table: purgedOutbox, days: outboxDays },
    { table: purgedInbox, days: 2 * outboxDays }, // an event may be published again until then
    { table: purgedReplies, days: 1 },
    ...(logDays === 0 ? [] : logs.map((table) => ({ table, days: logDays }))),
  ];
}

interface RetentionOptions {
  readonly db: Pick<Database, "transaction">;
  readonly logs: readonly PurgedTable[];
  readonly retention: Retention | undefined;
  readonly telemetry: Telemetry;
}

/** Creates the job that deletes old rows, until its signal is aborted. */
export function createRetentionJob({
  db,
  logs,
  retention = DEFAULT_RETENTION,
  telemetry: { log, metrics },
}: RetentionOptions): PeriodicJob {
  const purges = purgesOf(logs, retention);
  const purged = new Counter({
    name: "purged_rows_total",
    help: "Old rows that were deleted from the outbox, the inbox, the logs and the replies to idempotency keys.",
    labelNames: ["table"],
    registers: [metrics],
  });
  for (const { table } of purges) purged.inc({ table: table.name }, 0);
  const run = async (signal: AbortSignal) => {
    for (const { table, days } of purges) {
      const deleted = await purgeTable(db, table, { days, signal });
      purged.inc({ table: table.name }, deleted);
      if (deleted > 0) log.info({ table: table.name, days, deleted }, "old rows were deleted");
    }
  };
  return { name: "retention", run };
}

/**
 * The environment variables of retention. No log is shortened unless an operator has decided so: what must be kept, or
 * must not be, is a matter of law. The stream keeps its messages for 7 days, and is refilled from the outbox.
 */
export const retentionSettings = () => ({
  LOG_DAYS: whole(0, MAX_DAYS, LOG_DAYS)
    .refine((value) => value === 0 || value >= 30, { error: LOG_DAYS })
    .default(0)
    .describe(
      "days for which the workspace service keeps its activity log, and identity its audit log; 0 is indefinitely",
    ),
  OUTBOX_DAYS: whole(7, MAX_DAYS, `must be 7 to ${MAX_DAYS}`)
    .default(7)
    .describe(
      "days for which published events are kept, from which a lost stream is refilled. Those that were applied are kept twice as long",
    ),
});

const MAX_DAYS = 36_500;
const LOG_DAYS = `must be 0 (indefinitely), or 30 to ${MAX_DAYS}`;

/** The days for which rows are kept that are no records. */
export type Retention = Readonly<z.output<z.ZodObject<ReturnType<typeof retentionSettings>>>>;

/** The retention of a service whose settings are all absent. */
const DEFAULT_RETENTION: Retention = z.object(retentionSettings()).parse({});
