export { type ProgramRights, prepareForPooler } from "./grant-rights.ts";
export { migrate } from "./migrate.ts";
export { createBatchSize, inPurgingSession, type PurgedTable, purgedByTime, purgeTable } from "./purge.ts";
export { type MigrationSource, missingMigrations, requireMigrated } from "./read-migrations.ts";
