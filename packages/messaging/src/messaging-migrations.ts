import path from "node:path";

/**
 * Creates the tables outbox, inbox and parked_messages in the service's schema. Pass it to `migrate` before the
 * service's own migrations.
 */
export const messagingMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "messaging" as const,
};
