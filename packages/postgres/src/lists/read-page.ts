import { inTexts, type Reader, type SqlText, type Statement, sql, type TextRow } from "../statement.ts";
import { type ListSource, type Order, orderBy, PageTooLarge } from "./page-query.ts";

/** A statement that returns a page. */
export interface PageStatement {
  /** Common table expressions; the last one is `page`: `select true as page_row, …`. */
  readonly parts: SqlText;
  /** The total, as an expression over them. */
  readonly total: SqlText;
  /** Another count that the search needs, as an expression over them. */
  readonly counted?: SqlText;
}

/** Composes the statement: a page and the total, of one snapshot. */
export function textOf(
  { order, ...source }: Pick<ListSource, "largeColumn" | "maxBytes"> & { readonly order: Order },
  { parts, total, counted = sql`0` }: PageStatement,
): SqlText {
  const fits = fitsOf(source);
  // The left join returns one row even past the end, so that the total is reported there too.
  return sql`
    with recursive ${parts}
    select case when ${fits} then total.count end as page_total, total.counted as page_counted, page.*
    from (
      select ${total} as count, ${counted} as counted
    ) total
    left join page on ${fits}
    ${orderBy(order, sql`page.`)}`;
}

export interface ReadPage<Row> {
  readonly total: number;
  readonly counted: number;
  readonly rows: Row[];
}

/** Reads a page by a statement with a text of `textOf`. @throws PageTooLarge */
export type ReadRows<Row> = (db: Reader, statement: Statement, values: readonly unknown[]) => Promise<ReadPage<Row>>;

/**
 * The number of columns before a record's own: the total, another count, and whether there is a record.
 */
export const META_COLUMNS = 3;

/** Returns rows with parsed values. */
export async function readRows<Row>(
  db: Reader,
  statement: Statement,
  values: readonly unknown[],
): Promise<ReadPage<Row>> {
  const { rows } = await db.read(statement as Statement<MarkedRow>, values);
  return {
    total: countOf(rows[0]?.page_total),
    counted: Number(rows[0]?.page_counted ?? 0),
    rows: rows.filter((row) => row.page_row === true).map(withoutMarks<Row>),
  };
}

/** Returns rows as Postgres prints them, marks included. */
export async function readTextRows(
  db: Reader,
  statement: Statement,
  values: readonly unknown[],
): Promise<ReadPage<TextRow>> {
  const { rows } = await db.read(inTexts(statement), values);
  const [first] = rows;
  // Past the end there is one row, with the count only.
  return { total: countOf(first?.[0]), counted: Number(first?.[1] ?? 0), rows: first?.[2] === "t" ? rows : [] };
}

interface MarkedRow {
  readonly page_total: string | null;
  readonly page_counted: string;
  readonly page_row: true | null;
}

/** Returns the total, which is null if the rows are too large: then they are not selected. @throws PageTooLarge */
function countOf(total: unknown): number {
  if (total === null) throw new PageTooLarge("the rows of a page are too large");
  return Number(total ?? 0);
}

/**
 * Returns the condition under which the rows are sent. Postgres decides it before: a page of 100 MB stopped a service
 * for 4 s, and its connections to the gateway were given up as silent. `||` returns the decompressed value; its text
 * would be up to 20 times as large, and take up to 150 times as long.
 */
function fitsOf({ largeColumn, maxBytes = sql`16777216` }: Pick<ListSource, "largeColumn" | "maxBytes">): SqlText {
  if (largeColumn === undefined) return sql`true`; // protects: page-size
  return sql`(select coalesce(sum(pg_column_size(${largeColumn} || '{}'::jsonb)), 0) <= ${maxBytes} from page)`;
}

function withoutMarks<Row>({ page_total: _total, page_counted: _counted, page_row: _row, ...row }: MarkedRow): Row {
  return row as unknown as Row;
}

/** Returns the common table expression `page`: the rows of the list whose ids are in the relation `ids`. */
export const pageOfIds = ({ columns, from }: ListSource) => sql`
  page as (
    select true as page_row, ${columns}
    from ${from}
    where id = any(array(select id from ids))
  )`;
