import type { QueryResultRow } from "pg";
import { PageTooLarge } from "../page-too-large.ts";
import { planEachTime } from "../prepared.ts";
import type { Sql } from "../sql.ts";
import { type SqlText, sql } from "../sql-text.ts";
import { orderBy } from "./page-order.ts";
import type { ListSource, Order } from "./page-query.ts";

/** A statement that returns a page. */
export interface PageStatement {
  /** Common table expressions, the last of which is `page`: `select true as page_row, …`. */
  readonly parts: SqlText;
  /** The total, an expression over them. */
  readonly total: SqlText;
  /** The number of rows that were examined, likewise. */
  readonly seen?: SqlText;
  readonly values: readonly unknown[];
}

export interface ReadPage<Row> {
  readonly total: number;
  readonly seen: number;
  readonly rows: Row[];
}

/** Reads a page and the total, of one snapshot, in one statement. @throws PageTooLarge */
export async function readPage<Row>(
  db: Sql,
  { largeColumn, order }: Pick<ListSource, "largeColumn"> & { readonly order: Order },
  { parts, total, seen = sql`0`, values }: PageStatement,
): Promise<ReadPage<Row>> {
  const fits = fitsOf(largeColumn);
  // The left join returns one row even past the end, so that the total is reported there too.
  const text = sql`
    with recursive ${parts}
    select total.count as page_total, total.seen as page_seen, ${fits} as page_fits, page.*
    from (
      select ${total} as count, ${seen} as seen
    ) total
    left join page on ${fits}
    ${orderBy(order, sql`page.`)}`;
  const { rows } = await db.query<QueryResultRow>(planEachTime(text), values);
  if (rows[0]?.["page_fits"] === false) throw new PageTooLarge("the rows of a page take over 16 MiB");
  return {
    total: Number(rows[0]?.["page_total"] ?? 0),
    seen: Number(rows[0]?.["page_seen"] ?? 0),
    rows: rows.filter((row) => row["page_row"] === true).map(withoutMarks<Row>),
  };
}

/**
 * Decided by Postgres, before the rows are sent: a page of 100 MB stopped a service for 4 s, and its connections to the
 * gateway were given up as silent. `||` returns the decompressed value; its text would be up to 20 times as large, and
 * take up to 150 times as long.
 */
function fitsOf(largeColumn: SqlText | undefined): SqlText {
  if (largeColumn === undefined) return sql`true`;
  return sql`(select coalesce(sum(pg_column_size(${largeColumn} || '{}'::jsonb)), 0) <= 16777216 from page)`;
}

function withoutMarks<Row>({
  page_total: _1,
  page_seen: _2,
  page_fits: _3,
  page_row: _4,
  ...row
}: QueryResultRow): Row {
  return row as Row;
}

/** Returns the common table expression `page`: the rows of the list whose ids are in the relation `ids`. */
export const pageOfIds = ({ columns, from }: ListSource) => sql`
  page as (
    select true as page_row, ${columns}
    from ${from}
    where id = any(array(select id from ids))
  )`;
