import type { QueryResultRow } from "pg";
import { PageTooLarge } from "./page-too-large.ts";
import { planEachTime } from "./prepared.ts";
import type { Sql } from "./sql.ts";
import { parameter, type SqlText, sql } from "./sql-text.ts";

export interface Order {
  column: "created_at" | "updated_at" | "name" | "title";
  direction: "asc" | "desc";
}

export interface PageQuery {
  /** Must include `id` and the column of the order. */
  columns: SqlText;
  from: SqlText;
  where: SqlText;
  /** The values of $1, $2… in `from` and `where`. */
  params: readonly unknown[];
  /** A case-insensitive substring of one of `searchColumns`; %, _ and \ match themselves; empty matches all. */
  search: string;
  searchColumns: readonly SqlText[];
  /** A jsonb column, whose values the table does not limit: those of a page take at most 16 MiB in Postgres. */
  largeColumn?: SqlText;
  order: Order;
  /** From 0. */
  page: number;
  pageSize: number;
}

export interface Page<Row> {
  /** Of all pages, even when this one is past the end. */
  totalCount: number;
  rows: Row[];
}

/**
 * Returns a page and the total count, of one snapshot, in one statement. Ties are broken by id in the same direction.
 *
 * @throws PageTooLarge
 */
export async function selectPage<Row>(db: Sql, query: PageQuery): Promise<Page<Row>> {
  const { columns, params, search } = query;
  const source = sourceOf(query);
  const fits = fitsOf(query);
  const limit = parameter(params.length + 1);
  const offset = parameter(params.length + 2);
  // The left join returns one row even past the end, so that the count is reported there too.
  const text = sql`
    with page as (
      select true as page_row, ${columns}
      ${source}
      ${orderBy(query.order, sql``)}
      limit ${limit}::bigint
      offset ${offset}::bigint
    )
    select total.count as page_total, ${fits} as page_fits, page.*
    from (
      select count(*) as count
      ${source}
    ) total
    left join page on ${fits}
    ${orderBy(query.order, sql`page.`)}`;
  const searched = search === "" ? [] : [searchPattern(search)];
  const values = [...params, query.pageSize, offsetOf(query), ...searched];
  const { rows } = await db.query<QueryResultRow>(planEachTime(text), values);
  if (rows[0]?.["page_fits"] === false) throw new PageTooLarge("the rows of a page take over 16 MiB");
  return {
    totalCount: Number(rows[0]?.["page_total"] ?? 0),
    rows: rows.filter((row) => row["page_row"] === true).map(withoutMarks<Row>),
  };
}

/**
 * Decided by Postgres, before the rows are sent: a page of 100 MB stopped a service for 4 s, and its connections to the
 * gateway were given up as silent. `||` returns the decompressed value; its text would be up to 20 times as large, and
 * take up to 150 times as long.
 */
function fitsOf({ largeColumn }: PageQuery): SqlText {
  if (largeColumn === undefined) return sql`true`;
  return sql`(select coalesce(sum(pg_column_size(${largeColumn} || '{}'::jsonb)), 0) <= 16777216 from page)`;
}

/** Composes FROM and WHERE of the page and its count; the search pattern is the parameter after limit and offset. */
function sourceOf({ from, where, params, search, searchColumns }: PageQuery): SqlText {
  const live = sql`
    from ${from}
    where (${where})`;
  if (search === "") return live;
  const [first, ...others] = searchColumns;
  if (first === undefined) throw new TypeError("a search needs columns");
  const pattern = parameter(params.length + 3);
  const matches = others.reduce((any, column) => sql`${any} or ${match(column, pattern)}`, match(first, pattern));
  return sql`${live} and (${matches})`;
}

// Under und-x-icu, Ä matches ä even in a database whose locale is C.
const match = (column: SqlText, pattern: SqlText) => sql`${column} collate "und-x-icu" ilike ${pattern} escape '\'`;

const orderBy = ({ column, direction }: Order, table: SqlText) =>
  sql`order by ${table}${orderColumns[column]} ${directions[direction]}, ${table}id ${directions[direction]}`;

const orderColumns: Readonly<Record<Order["column"], SqlText>> = {
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
  name: sql`name`,
  title: sql`title`,
};

const directions: Readonly<Record<Order["direction"], SqlText>> = { asc: sql`asc`, desc: sql`desc` };

function withoutMarks<Row>({ page_total: _total, page_fits: _fits, page_row: _row, ...row }: QueryResultRow): Row {
  return row as Row;
}

/** Escapes the wildcards. U+FFFF, a noncharacter, replaces U+0000, which Postgres refuses in a text. */
function searchPattern(search: string): string {
  return `%${search.replaceAll(/[\\%_]/g, "\\$&").replaceAll("\0", "\uffff")}%`;
}

/** Returns the offset as text, because page × pageSize may exceed the safe integers; no row lies past bigint. */
function offsetOf({ page, pageSize }: PageQuery): string {
  const offset = BigInt(page) * BigInt(pageSize);
  const maximum = 2n ** 63n - 1n;
  return String(offset < maximum ? offset : maximum);
}
