import path from "node:path";
import { messagingMigrations } from "@cloud/messaging";
import type { MigrationSource, ProgramRights, PurgedTable } from "@cloud/postgres";

/** The schema of a service: what migrations create, and what its program may do with it. */
export interface ServiceSchema extends Pick<ProgramRights, "appendOnly" | "readOnly"> {
  /** Of the schema and of the source of its migrations. */
  readonly name: string;
  /** The folder of its migrations. */
  readonly migrations: string;
  /** Those of the tables that are append only whose old rows may be deleted by setting. */
  readonly logs: readonly PurgedTable[];
}

/** Creates the tables for a service's own installation and those of its peers. */
const serviceMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "service" as const,
};

/** Returns the migrations of a service's schema, in their order. */
export function migrationsOf({ name, migrations }: ServiceSchema): MigrationSource[] {
  return [messagingMigrations, serviceMigrations, { folder: migrations, name }]; // protects: migrations-in-order
}

/**
 * Returns the rights of the program's role. No program changes which installation its database is; and only triggers
 * change counts.
 */
export function rightsOf({ appendOnly, readOnly }: ServiceSchema, role: string): ProgramRights {
  return { role, appendOnly, readOnly: [...readOnly, "installation", "live_counts"] };
}
