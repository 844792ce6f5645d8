import { ConfigError, readConfig } from "@cloud/config";
import { userOf } from "./migrate-schema.ts";
import { migrateOnlySettings } from "./migration-settings.ts";

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
