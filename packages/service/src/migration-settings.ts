import { logLevel, postgresUrl } from "@cloud/config";
import * as z from "zod";

/** The environment variables of migrations, which the program and `MIGRATE=only` read. */
export const migrationSettings = () => ({
  /** `on`: at every start. `off`: never; a schema that is older is refused. `only`: migrates, and exits with 0. */
  MIGRATE: z.enum(["on", "off", "only"], { error: "must be on, off or only" }).default("on"),
  /** Connects as the owner of the schema; without it the program's role is the owner. */
  MIGRATION_DATABASE_URL: postgresUrl().optional(),
  /** The program's role, where it is not the user of DATABASE_URL: some poolers name a user differently. */
  DATABASE_ROLE: z.string().optional(),
});

/** What `MIGRATE=only` reads: no credential of a service, and no URL of a peer. */
export const migrateOnlySettings = {
  ...migrationSettings(),
  DATABASE_URL: postgresUrl().optional(),
  LOG_LEVEL: logLevel(),
};
