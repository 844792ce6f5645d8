export { DatabaseUnavailable } from "./database-unavailable.ts";
export { type ListenOptions, listen } from "./listen.ts";
export { type MigrateOptions, migrate } from "./migrate.ts";
export { oneRow } from "./one-row.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export type { MigrationSource } from "./read-migrations.ts";
export { type Order, type Page, type PageQuery, selectPage } from "./select-page.ts";
export type { Log, Sql, Tx } from "./sql.ts";
export { isUniqueViolation } from "./unique-violation.ts";
