export type { ProgramRights } from "./grant-rights.ts";
export { migrate } from "./migrate.ts";
export { prepareForPooler } from "./prepare-for-pooler.ts";
export { type PurgedTable, purgedByTime, purgedLog, purgeTable } from "./purge.ts";
export { type MigrationSource, missingMigrations, requireMigrated } from "./read-migrations.ts";
