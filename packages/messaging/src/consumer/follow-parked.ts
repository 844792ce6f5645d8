import type { Sql } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { countParked } from "./inbox-sql.ts";

/** Between two counts. The table is small, and an alert waits for minutes. */
const EVERY_MS = 5_000;

export interface FollowParkedOptions {
  readonly db: Sql;
  readonly consumer: string;
  readonly metrics: MessagingMetrics;
  readonly log: Logger;
}

/** Counts the parked messages of a consumer in the table, so that the gauge is right after a restart, too. */
export function followParked({ db, consumer, metrics, log }: FollowParkedOptions): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const count = async () => {
    for (const [reason, rows] of await countParked(db, consumer)) metrics.parkedRows.set({ consumer, reason }, rows);
  };
  const begin = () => {
    running ??= count()
      .catch((err: unknown) => log.debug({ err }, "parked messages could not be counted"))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(begin, EVERY_MS).unref();
  begin();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
