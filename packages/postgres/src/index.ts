export { createBatchSize } from "./batch-size.ts";
export type { Pooler } from "./connection-settings.ts";
export { DatabaseUnavailable } from "./database-unavailable.ts";
export type { ProgramRights } from "./grant-rights.ts";
export { type ListenOptions, listen } from "./listen.ts";
export { type MigrateOptions, migrate } from "./migrate.ts";
export { oneRow } from "./one-row.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export type { ListSource, Order, Page, PageQuery, TextPage } from "./pages/page-query.ts";
export { PageTooLarge } from "./pages/page-query.ts";
export { MARKS } from "./pages/read-page.ts";
export { selectPage, selectTextPage } from "./pages/select-page.ts";
export { parseMilliseconds } from "./parse-time.ts";
export { type PooledOptions, prepareForPooler } from "./prepare-for-pooler.ts";
export { inPurgingSession, type PurgedTable, type PurgeOptions, purgedByTime, purgeTable } from "./purge.ts";
export type { MigrationSource } from "./read-migrations.ts";
export { missingMigrations, type RequireMigratedOptions, requireMigrated } from "./require-migrated.ts";
export type { Log, Reader, RunHeavy, Tx } from "./sql.ts";
export { parameter, type SqlText, sql } from "./sql-text.ts";
export {
  type BoundStatement,
  plannedEachTime,
  plannedOnce,
  type Statement,
  type StatementResult,
  statement,
  type TextRow,
} from "./statement.ts";
export { isUniqueViolation } from "./unique-violation.ts";
export { uuidArray } from "./uuid-array.ts";
