import path from "node:path";

/**
 * Creates the tables outbox, inbox and parked_messages in the service's schema. Pass it to `migrate` before the
 * service's own migrations. The table begun_tries is unused since the release after 0.1.0, which still writes it: a later
 * release drops it, when that one no longer runs beside it.
 */
export const messagingMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "messaging" as const,
};
