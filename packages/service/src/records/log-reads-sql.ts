import { afterCursor, type Cursor, type LogCursor } from "@cloud/access/lists";
import { type Reader, type SqlText, statement } from "@cloud/postgres";

/** The two reads of a log. Each selects the next `limit` lines of the scope after a cursor. */
export interface LogReads<Line> {
  readonly newestFirst: (
    db: Reader,
    scope: string | null,
    cursor: Cursor | undefined,
    limit: number,
  ) => Promise<readonly Line[]>;
  /** Returns earlier lines, too, whose transactions have committed since the cursor was made; they come first. */
  readonly oldestFirst: (
    db: Reader,
    scope: string | null,
    cursor: LogCursor,
    limit: number,
  ) => Promise<readonly (Line & { readonly snapshot: string })[]>;
}

interface Log {
  readonly table: SqlText;
  readonly columns: SqlText;
  /** The condition of the log's lines; $1 is the scope. */
  readonly where: SqlText;
}

/**
 * Composes the statements that read a log. Each line has the transaction that wrote it (`xact`,
 * docs/adr/0029-watches-by-transaction.md). A line before the cursor is new if its transaction had not committed when
 * the cursor was made. In a restored database, a line whose transaction this server has not begun is never new.
 */
export function logReads<Line extends object>({ table, columns, where }: Log): LogReads<Line> {
  const newestFirst = statement<Line>`
    select ${columns}
    from ${table}
    where ${where} and (created_at, id) < ($2, $3)
    order by created_at desc, id desc
    limit $4`;
  const oldestFirst = statement<Line & { readonly snapshot: string }>`
    with read_up_to as materialized (
      select *
      from jsonb_to_recordset($2::jsonb) as place (read_at timestamptz, read_id uuid, up_to xid8, running xid8[])
    )
    select line.*, pg_current_snapshot()::text as snapshot
    from (
      (
        select ${columns}
        from ${table}
        where ${where} and (created_at, id) > ($3, $4)
        order by created_at, id
        limit $6
      )
      union all
      (
        select ${columns}
        from ${table}
        where ${where} and xact > '0' and xact >= $5::xid8 and xact < pg_snapshot_xmax(pg_current_snapshot())
          and (created_at, id) <= ($3, $4)
          and not exists (
            select
            from read_up_to
            where (created_at, id) <= (read_at, read_id) and xact < up_to and xact <> all(running)
          )
        order by created_at, id
        limit $6
      )
    ) line
    order by created_at, id
    limit $6`;
  return {
    newestFirst: async (db, scope, cursor, limit) =>
      (await db.read(newestFirst, [scope, ...afterCursor(cursor), limit])).rows,
    oldestFirst: async (db, scope, cursor, limit) => {
      const last = cursor.at(-1);
      const places = cursor.map(({ createdAt, id, upTo, running }) => ({
        read_at: createdAt,
        read_id: id,
        up_to: upTo,
        running,
      }));
      const position = [last?.createdAt ?? "-infinity", last?.id ?? "00000000-0000-0000-0000-000000000000"];
      const params = [scope, JSON.stringify(places), ...position, oldestRunning(cursor), limit];
      return (await db.read(oldestFirst, params)).rows;
    },
  };
}

/** Returns the first transaction whose lines may have been missed. */
function oldestRunning(cursor: LogCursor): string {
  const candidates = cursor.flatMap(({ upTo, running }) => [upTo, ...running]).map(BigInt);
  return String(candidates.reduce((oldest, one) => (one < oldest ? one : oldest), 2n ** 64n - 1n));
}
