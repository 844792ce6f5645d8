import { ConfigError, readConfig, type z } from "@cloud/config";
import { type ProgramOptions, runProgram } from "@cloud/program";
import { createTelemetry } from "@cloud/telemetry";
import { migrateAsOwner, userOf } from "./migrate-schema.ts";
import { migrateOnlySettings } from "./migration-settings.ts";
import type { ServiceSchema } from "./service-schema.ts";

/** Runs the program of a service; with `MIGRATE=only`, migrates its schema instead and exits. */
export async function runService<Shape extends z.ZodRawShape & { readonly LOG_LEVEL: z.ZodType<string> }>(
  options: Omit<ProgramOptions<Shape>, "name"> & { readonly schema: ServiceSchema },
): Promise<void> {
  const { schema, process, ...program } = options;
  if (process.env["MIGRATE"] !== "only") return await runProgram({ ...program, name: schema.name, process });
  process.exit(await migrateOnly(schema, process));
}

/** Migrates as the owner. Returns the exit code. */
async function migrateOnly(schema: ServiceSchema, process: NodeJS.Process): Promise<number> {
  const { name } = schema;
  try {
    const { DATABASE_URL, MIGRATION_DATABASE_URL, DATABASE_ROLE, LOG_LEVEL } = readOnlySettings(process.env);
    const { log } = createTelemetry({ service: name, level: LOG_LEVEL, processMetrics: false });
    try {
      const ownerUrl = MIGRATION_DATABASE_URL ?? DATABASE_URL ?? "";
      const role = DATABASE_ROLE ?? userOf(DATABASE_URL ?? ownerUrl);
      await migrateAsOwner(schema, { ownerUrl, role, log });
      log.info({ schema: name, role }, "migrated");
      return 0;
    } catch (err) {
      log.fatal({ err }, "failed");
      return 1;
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return 1;
  }
}

function readOnlySettings(env: NodeJS.ProcessEnv) {
  const settings = readConfig(migrateOnlySettings, env);
  const { DATABASE_URL, MIGRATION_DATABASE_URL, DATABASE_ROLE } = settings;
  if ((MIGRATION_DATABASE_URL ?? DATABASE_URL) === undefined) {
    throw new ConfigError(["MIGRATION_DATABASE_URL: is required, unless the role of DATABASE_URL owns the schema"]);
  }
  if ((DATABASE_ROLE ?? DATABASE_URL) === undefined) {
    throw new ConfigError(["DATABASE_ROLE: is required, unless DATABASE_URL names it"]);
  }
  return settings;
}
