export type { Pooler } from "./connection-settings.ts";
export { DatabaseUnavailable, isUniqueViolation } from "./database-errors.ts";
export { type ListenOptions, listen } from "./listen.ts";
export { type PooledOptions, type ProgramRights, prepareForPooler } from "./migrations/grant-rights.ts";
export { type MigrateOptions, migrate } from "./migrations/migrate.ts";
export {
  type MigrationSource,
  missingMigrations,
  type RequireMigratedOptions,
  requireMigrated,
} from "./migrations/read-migrations.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export type { ListSource, Order, Page, PageQuery, TextPage } from "./pages/page-query.ts";
export { PageTooLarge } from "./pages/page-query.ts";
export { MARKS } from "./pages/read-page.ts";
export { selectPage, selectTextPage } from "./pages/select-page.ts";
export {
  createBatchSize,
  inPurgingSession,
  type PurgedTable,
  type PurgeOptions,
  purgedByTime,
  purgeTable,
} from "./purge.ts";
export { parseMilliseconds, uuidArray } from "./rows.ts";
export {
  type BoundStatement,
  type Log,
  oneRow,
  parameter,
  plannedEachTime,
  plannedOnce,
  type Reader,
  type RunHeavy,
  type SqlText,
  type Statement,
  type StatementResult,
  sql,
  statement,
  type TextRow,
  type Tx,
} from "./statement.ts";
