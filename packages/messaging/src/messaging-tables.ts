import path from "node:path";
import { purgedByTime } from "@cloud/postgres";

/**
 * Creates the tables outbox, inbox and parked_messages in the service's schema. Pass it to `migrate` before the
 * service's own migrations. The table begun_tries is unused since the release after 0.1.0, which still writes it: a later
 * release drops it, when that one no longer runs beside it.
 */
export const messagingMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "messaging" as const,
};

/** Published events. Those that are not published are kept indefinitely. */
export const purgedOutbox = purgedByTime("outbox", "published_at");

/** Events that have been applied. */
export const purgedInbox = purgedByTime("inbox", "received_at");
