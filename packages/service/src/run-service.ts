import { ConfigError, type z } from "@cloud/config";
import { type ProgramOptions, runProgram } from "@cloud/program";
import { createTelemetry } from "@cloud/telemetry";
import { migrateAsOwner } from "./migrate-schema.ts";
import { readMigrationAccess } from "./migration-settings.ts";
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
