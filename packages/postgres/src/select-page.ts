import type { QueryResultRow } from "pg";
import { PageTooLarge } from "./page-too-large.ts";
import { planEachTime } from "./prepared.ts";
import type { Sql } from "./sql.ts";
import { parameter, type SqlText, sql } from "./sql-text.ts";
import { returnTexts, type TextRow } from "./text-rows.ts";

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
  const { rows } = await db.query<QueryResultRow>(statementOf(query), valuesOf(query));
  return {
    totalCount: countOf(rows[0]?.["page_total"]),
    rows: rows.filter((row) => row["page_row"] === true).map(withoutMarks<Row>),
  };
}

/** A page whose rows are as Postgres prints them. */
export interface TextPage {
  readonly totalCount: number;
  /** The columns follow `MARKS` others. */
  readonly rows: readonly TextRow[];
}

/** The columns before those of a record: the count, and whether there is a record. */
export const MARKS = 2;

/**
 * Does the same as `selectPage`, for rows that become bytes of a reply at once: 25 rows took 0.04 ms to become objects.
 *
 * @throws PageTooLarge
 */
export async function selectTextPage(db: Sql, query: PageQuery): Promise<TextPage> {
  const result = await db.query(textStatementOf(query), valuesOf(query));
  const rows = result.rows as unknown as readonly TextRow[];
  const [first] = rows;
  // Past the end there is one row, with the count only.
  return { totalCount: countOf(first?.[0]), rows: first?.[1] === "t" ? rows : [] };
}

/** It is null if the rows are too large: then they are not selected. */
function countOf(total: unknown): number {
  if (total === null) throw new PageTooLarge("the rows of a page take over 16 MiB");
  return Number(total ?? 0);
}

const statementOf = remembered((query) => planEachTime(compose(query)));
// A comment distinguishes the text: its rows are read in another way.
const textStatementOf = remembered((query) => returnTexts(planEachTime(sql`${compose(query)} -- as texts`)));

/** Composing takes 10 µs. There are as many texts as shapes of a page, a few for each list. */
function remembered(composeOne: (query: PageQuery) => SqlText): (query: PageQuery) => SqlText {
  const texts = new Map<string, SqlText>();
  return (query) => {
    const { columns, from, where, params, search, searchColumns, largeColumn, order } = query;
    const searched = search === "" ? "" : searchColumns.join();
    const key = [columns, from, where, params.length, searched, largeColumn, order.column, order.direction].join("\n");
    const text = texts.get(key) ?? composeOne(query);
    texts.set(key, text);
    return text;
  };
}

function compose(query: PageQuery): SqlText {
  const { columns, params } = query;
  const source = sourceOf(query);
  const fits = fitsOf(query);
  const limit = parameter(params.length + 1);
  const offset = parameter(params.length + 2);
  // The left join returns one row even past the end, so that the count is reported there too.
  return sql`
    with page as (
      select true as page_row, ${columns}
      ${source}
      ${orderBy(query.order, sql``)}
      limit ${limit}::bigint
      offset ${offset}::bigint
    )
    select case when ${fits} then total.count end as page_total, page.*
    from (
      select count(*) as count
      ${source}
    ) total
    left join page on ${fits}
    ${orderBy(query.order, sql`page.`)}`;
}

function valuesOf(query: PageQuery): readonly unknown[] {
  const { params, search, pageSize } = query;
  const searched = search === "" ? [] : [searchPattern(search)];
  return [...params, pageSize, offsetOf(query), ...searched];
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

function withoutMarks<Row>({ page_total: _total, page_row: _row, ...row }: QueryResultRow): Row {
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
