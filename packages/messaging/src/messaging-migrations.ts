import path from "node:path";

/** Give it to `migrate` before the service's own: the tables outbox, inbox and parked_messages of the service's schema. */
export const messagingMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "messaging" as const,
};
