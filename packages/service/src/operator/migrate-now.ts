import { missingMigrations } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import { migrateAsOwner } from "../migrate-schema.ts";
import type { MigrationAccess } from "../migration-settings.ts";
import { migrationsOf, type ServiceSchema } from "../service-schema.ts";

export interface MigrateCommand {
  readonly schema: ServiceSchema;
  readonly access: MigrationAccess;
  readonly log: Logger;
  /** Only lists them. */
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/** Applies the migrations that the schema lacks, as its owner. Returns the exit code. */
export async function migrateNow({ schema, access, log, dryRun, print }: MigrateCommand): Promise<number> {
  const { ownerUrl, role } = access;
  const sources = migrationsOf(schema);
  const missing = await missingMigrations({ url: ownerUrl, schema: schema.name, sources, log });
  for (const migration of missing) print(migration);
  if (dryRun) {
    print(missing.length === 0 ? "the schema is up to date" : `${missing.length} would be applied`);
    return 0;
  }
  await migrateAsOwner(schema, { ownerUrl, role, log }); // it also grants rights
  print(missing.length === 0 ? "the schema was up to date" : `${missing.length} applied`);
  return 0;
}
