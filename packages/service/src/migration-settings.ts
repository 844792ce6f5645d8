import { logLevel, postgresUrl } from "@cloud/config";
import * as z from "zod";
import { directSettings } from "./database-settings.ts";

/** The environment variables of migrations, which the program and `MIGRATE=only` read. */
export const migrationSettings = () => ({
  /** `on`: at every start. `off`: never; a schema that is older is refused. `only`: migrates, and exits with 0. */
  MIGRATE: z
    .enum(["on", "off", "only"], { error: "must be on, off or only" })
    .default("on")
    .describe(
      "when the schema is brought up to date: at every start, never (an older one is refused), or only that, after which the program exits with 0",
    ),
  /** Connects as the owner of the schema, not through a pooler; without it the program's role is the owner. */
  MIGRATION_DATABASE_URL: postgresUrl()
    .optional()
    .describe(
      "connects as the owner of the schema, for migrations, and never through a pooler; without it, the program's role is the owner",
    ),
  /** The program's role, where it is not the user of DATABASE_URL: some poolers name a user differently. */
  DATABASE_ROLE: z
    .string()
    .optional()
    .describe(
      "the program's role, which migrations give its rights, where it is not the user of `DATABASE_URL`: some poolers name a user differently",
    ),
});

/** What `MIGRATE=only` reads: no credential of a service, and no URL of a peer. */
export const migrateOnlySettings = {
  ...migrationSettings(),
  DATABASE_URL: postgresUrl().optional(),
  ...directSettings(),
  LOG_LEVEL: logLevel(),
};
