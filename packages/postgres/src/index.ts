export { DatabaseUnavailable } from "./database-unavailable.ts";
export type { ProgramRights } from "./grant-rights.ts";
export { type ListenOptions, listen } from "./listen.ts";
export { type MigrateOptions, migrate } from "./migrate.ts";
export { oneRow } from "./one-row.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export { PageTooLarge } from "./page-too-large.ts";
export { parseMilliseconds } from "./parse-time.ts";
export { planEachTime } from "./prepared.ts";
export type { MigrationSource } from "./read-migrations.ts";
export { type RequireMigratedOptions, requireMigrated } from "./require-migrated.ts";
export {
  MARKS,
  type Order,
  type Page,
  type PageQuery,
  selectPage,
  selectTextPage,
  type TextPage,
} from "./select-page.ts";
export type { Log, Sql, Tx } from "./sql.ts";
export { parameter, type SqlText, sql } from "./sql-text.ts";
export type { TextRow } from "./text-rows.ts";
export { together } from "./together.ts";
export { isUniqueViolation } from "./unique-violation.ts";
