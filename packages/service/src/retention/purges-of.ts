import { purgedInbox, purgedOutbox } from "@cloud/messaging";
import type { PurgedTable } from "@cloud/postgres";
import { purgedReplies } from "../idempotency/idempotent-reply-sql.ts";
import type { ServiceSchema } from "../service-schema.ts";
import type { RetentionConfig } from "./retention-settings.ts";

/** A table, and the age in days from which its rows are deleted. */
export interface Purge {
  readonly table: PurgedTable;
  readonly days: number;
}

/** Returns what is purged of a service's schema. */
export function purgesOf({ logs }: Pick<ServiceSchema, "logs">, { logDays, outboxDays }: RetentionConfig): Purge[] {
  return [
    { table: purgedOutbox, days: outboxDays },
    { table: purgedInbox, days: 2 * outboxDays },
    { table: purgedReplies, days: 1 },
    ...(logDays === 0 ? [] : logs.map((table) => ({ table, days: logDays }))),
  ];
}
