export type { Pooler } from "./connection-settings.ts";
export { DatabaseUnavailable, isUniqueViolation } from "./database-errors.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export { measurePools } from "./pool-metrics.ts";
export { parseMilliseconds, uuidArray } from "./rows.ts";
export {
  type BoundStatement,
  type Log,
  oneRow,
  parameter,
  plannedEachTime,
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
