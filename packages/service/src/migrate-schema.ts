import { migrate, requireMigrated } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { MigrationConfig } from "./service-config.ts";
import { migrationsOf, rightsOf, type ServiceSchema } from "./service-schema.ts";

export interface MigrateSchemaOptions {
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
  // Also after that: the program's own role must reach the schema, by a URL that passes on its settings.
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

/** Returns the role that a URL of Postgres names. */
export function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
