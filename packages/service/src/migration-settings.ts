import { ConfigError, logLevel, postgresUrl, readConfig } from "@cloud/config";
import * as z from "zod";
import { directSettings } from "./database-settings.ts";
import { userOf } from "./migrate-schema.ts";

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

/** How migrations reach the schema, apart from a running program. */
export interface MigrationAccess {
  /** Connects as the owner of the schema, not through a pooler. */
  readonly ownerUrl: string;
  /** The program's role, which gets its rights. */
  readonly role: string;
  readonly level: string;
}

/** Reads it from the environment variables. @throws ConfigError */
export function readMigrationAccess(env: NodeJS.ProcessEnv): MigrationAccess {
  const settings = readConfig(migrateOnlySettings, env);
  const { DATABASE_URL, DATABASE_DIRECT_URL, MIGRATION_DATABASE_URL, DATABASE_ROLE, LOG_LEVEL: level } = settings;
  const ownerUrl = MIGRATION_DATABASE_URL ?? DATABASE_DIRECT_URL ?? DATABASE_URL;
  if (ownerUrl === undefined || (MIGRATION_DATABASE_URL ?? DATABASE_URL) === undefined) {
    throw new ConfigError(["MIGRATION_DATABASE_URL: is required, unless the role of DATABASE_URL owns the schema"]);
  }
  if ((DATABASE_ROLE ?? DATABASE_URL) === undefined) {
    throw new ConfigError(["DATABASE_ROLE: is required, unless DATABASE_URL names it"]);
  }
  return { ownerUrl, role: DATABASE_ROLE ?? userOf(DATABASE_URL ?? ownerUrl), level };
}
