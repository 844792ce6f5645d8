import {
  advanceLogCursor,
  type Cursor,
  formatCursor,
  formatLogCursor,
  type LogCursor,
  parseCursor,
  parseLogCursor,
} from "@cloud/access/lists";
import type { Reader } from "@cloud/postgres";
import type { LogReads } from "./log-reads-sql.ts";

/** The position from which a reader of a log continues. */
export type LogPosition =
  | { readonly direction: "desc"; readonly cursor: Cursor | undefined }
  | { readonly direction: "asc"; readonly cursor: LogCursor };

/** A line of a log, with `pg_current_snapshot()` of its statement if it was read oldest first. */
export interface LogLine {
  readonly created_at: Date;
  readonly id: string;
  readonly snapshot?: string;
}

/** Returns the lines that follow the position, and the cursor after them, which is empty at the end. */
export async function readLog<Line extends LogLine>(
  db: Reader,
  { newestFirst, oldestFirst }: LogReads<Line>,
  scope: string | null,
  position: LogPosition,
  pageSize: number,
): Promise<{ readonly rows: readonly Line[]; readonly nextCursor: string }> {
  // A line more than the page shows whether there is a next page.
  const limit = pageSize + 1;
  const found =
    position.direction === "desc"
      ? await newestFirst(db, scope, position.cursor, limit)
      : await oldestFirst(db, scope, position.cursor, limit);
  const rows = found.slice(0, pageSize);
  const last = found.length > pageSize ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? "" : cursorAfter(position, last) };
}

/** Parses the cursor of a log that is read in the direction. @throws INVALID_PARAMETER */
export function parseLogPosition(cursor: string, direction: "asc" | "desc"): LogPosition {
  return direction === "desc"
    ? { direction, cursor: parseCursor(cursor) }
    : { direction, cursor: parseLogCursor(cursor) };
}

/** Returns the cursor after a line that follows the position. */
export function cursorAfter(position: LogPosition, { created_at: createdAt, id, snapshot = "" }: LogLine): string {
  return position.direction === "desc"
    ? formatCursor({ createdAt, id })
    : formatLogCursor(advanceLogCursor(position.cursor, { created_at: createdAt, id, snapshot }));
}
