import type { QueryResultRow } from "pg";
import type { Sql } from "./sql.ts";

export interface Order {
  column: "created_at" | "updated_at" | "name";
  direction: "asc" | "desc";
}

/** `columns`, `from`, `where` and `searchColumns` are constants of the caller, never input. */
export interface PageQuery {
  /** Must name `id` and the column of the order. */
  columns: string;
  from: string;
  where: string;
  /** For $1, $2… of `from` and `where`. */
  params: readonly unknown[];
  /** A case-insensitive substring of one of `searchColumns`; %, _ and \ match themselves; empty matches all. */
  search: string;
  searchColumns: readonly string[];
  order: Order;
  /** From 0. */
  page: number;
  pageSize: number;
}

export interface Page<Row> {
  /** Of all pages, also when this one is past the end. */
  totalCount: number;
  rows: Row[];
}

/** One page and the total count, of one snapshot, in one statement. Ties are broken by id, in the same direction. */
export async function selectPage<Row>(sql: Sql, query: PageQuery): Promise<Page<Row>> {
  const { columns, from, order, params, search, searchColumns } = query;
  const first = params.length + 1;
  const source = from + " where (" + query.where + ")" + searchCondition(searchColumns, search, first + 2);
  const by = (prefix: string) =>
    " order by " + prefix + order.column + " " + order.direction + ", " + prefix + "id " + order.direction;
  // The left join keeps one row past the end, so that the count is told there too.
  const text =
    "select total.count as page_total, page.* from (select count(*) as count from " +
    source +
    ") total" +
    (" left join (select true as page_row, " + columns + " from " + source + by("")) +
    (" limit $" + first + "::bigint offset $" + (first + 1) + "::bigint) page on true" + by("page."));
  const searched = search === "" ? [] : [searchPattern(search)];
  const values = [...params, query.pageSize, offsetOf(query), ...searched];
  const { rows } = await sql.query<QueryResultRow>(text, values);
  return {
    totalCount: Number(rows[0]?.["page_total"] ?? 0),
    rows: rows.filter((row) => row["page_row"] === true).map(withoutMarks<Row>),
  };
}

function withoutMarks<Row>({ page_total: _total, page_row: _row, ...row }: QueryResultRow): Row {
  return row as Row;
}

// Under und-x-icu, Ä matches ä also in a database whose locale is C.
function searchCondition(columns: readonly string[], search: string, position: number): string {
  if (search === "") return "";
  if (columns.length === 0) throw new TypeError("a search needs columns");
  const matches = columns.map((column) => column + ' collate "und-x-icu" ilike $' + position + " escape '\\'");
  return " and (" + matches.join(" or ") + ")";
}

/** Postgres's text cannot hold U+0000 and would refuse the statement; U+FFFF, a noncharacter, stands for it. */
function searchPattern(search: string): string {
  return `%${search.replaceAll(/[\\%_]/g, "\\$&").replaceAll("\0", "\uffff")}%`;
}

/** As text, because page × pageSize may leave the safe integers; past bigint there is nothing to find either. */
function offsetOf({ page, pageSize }: PageQuery): string {
  const offset = BigInt(page) * BigInt(pageSize);
  const maximum = 2n ** 63n - 1n;
  return String(offset < maximum ? offset : maximum);
}
