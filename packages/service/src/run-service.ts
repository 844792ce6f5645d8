import { migrate, requireMigrated } from "@cloud/postgres/migrations";
import { type ProgramOptions, runProgram } from "@cloud/runtime";
import { ConfigError, logLevel, postgresUrl, readConfig } from "@cloud/runtime/settings";
import { createTelemetry, type Logger } from "@cloud/runtime/telemetry";
import * as z from "zod";
import { directSettings } from "./database.ts";
import { type MigrationConfig, migrationsOf, rightsOf, type ServiceSchema } from "./service-config.ts";

/** Runs the program of a service; with `MIGRATE=only`, migrates its schema instead and exits. */
export async function runService<Shape extends z.ZodRawShape & { readonly LOG_LEVEL: z.ZodType<string> }>(
  options: Omit<ProgramOptions<Shape>, "name"> & { readonly schema: ServiceSchema },
): Promise<void> {
  const { schema, process, ...program } = options;
  if (process.env["MIGRATE"] !== "only") return await runProgram({ ...program, name: schema.name, process });
  process.exit(await migrateOnly(schema, process));
}

interface MigrateSchemaOptions {
  /** Connects as the program's role. */
  readonly databaseUrl: string;
  readonly migration: MigrationConfig;
  readonly log: Logger;
}

/** Brings the schema up to date before the program serves, or refuses to start on one that is older. */
export async function migrateSchema(
  schema: ServiceSchema,
  { databaseUrl, migration, log }: MigrateSchemaOptions,
): Promise<void> {
  const { ownerUrl = databaseUrl, role = userOf(databaseUrl) } = migration;
  if (migration.run) await migrateAsOwner(schema, { ownerUrl, role, log });
  // Also after a migration: the program's own role must reach the schema, by a URL that passes on its settings.
  await requireMigrated({ url: databaseUrl, schema: schema.name, sources: migrationsOf(schema), log });
}

/** Migrates, and grants the program's role its rights, unless that role is the owner itself. */
export async function migrateAsOwner(
  schema: ServiceSchema,
  { ownerUrl, role, log }: { readonly ownerUrl: string; readonly role: string; readonly log: Logger },
): Promise<void> {
  const { name } = schema;
  const isOwner = userOf(ownerUrl) === role;
  if (isOwner) log.warn({ role }, "the program's role owns the schema, and may drop its tables and change its logs");
  const rights = isOwner ? undefined : rightsOf(schema, role);
  await migrate({ url: ownerUrl, schema: name, sources: migrationsOf(schema), rights, log });
}

/** The access to a schema for migrations without a running program. */
export interface MigrationAccess {
  /** Connects as the owner of the schema, not through a pooler. */
  readonly ownerUrl: string;
  /** The program's role, which gets its rights. */
  readonly role: string;
  readonly level: string;
}

/** Reads the access of migrations from the environment variables. @throws ConfigError */
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

/** The environment variables that `MIGRATE=only` reads: no credential of a service, and no URL of a peer. */
export const migrateOnlySettings = {
  ...migrationSettings(),
  DATABASE_URL: postgresUrl().optional(),
  ...directSettings(),
  LOG_LEVEL: logLevel(),
};

/** Migrates as the owner. Returns the exit code. */
async function migrateOnly(schema: ServiceSchema, process: NodeJS.Process): Promise<number> {
  const { name } = schema;
  try {
    const { level, ...access } = readMigrationAccess(process.env);
    const { log, flush } = createTelemetry({ service: name, level, processMetrics: false });
    try {
      await migrateAsOwner(schema, { ...access, log });
      log.info({ schema: name, role: access.role }, "migrated");
      return 0;
    } catch (err) {
      log.fatal({ err }, "failed");
      return 1;
    } finally {
      await flush();
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return 1;
  }
}

/** Returns the role that a URL of Postgres names. */
function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
