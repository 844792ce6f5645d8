import type { Sql } from "../sql.ts";
import { parameter, type SqlText, sql } from "../sql-text.ts";
import { matches, storable } from "./match.ts";
import { orderBy, orderColumns } from "./page-order.ts";
import type { Page, PageQuery } from "./page-query.ts";
import { type PageStatement, pageOfIds, type ReadPage, type ReadRows, textOf } from "./read-page.ts";

/** The most matches that are counted, and returned on pages (contract, section 4). */
const MOST = 10_000;
/** Rows that are examined in their order first: they take 1 ms. */
const FIRST_ROWS = 1_000;
/** The rows of a list that is examined completely, which takes 20 ms: the keys of others in the index may take longer. */
const SHORT_LIST = 20_000;
/** Rows that are examined in their order for a text that every fifth of the first contains, or more: they take 40 ms. */
const MORE_ROWS = 50_000;

/**
 * Returns a page of the rows that contain the search. An index finds rare texts quickly, and the order of the list
 * common ones; the first rows in that order show which. So a search takes about as long as a page, whatever the text
 * (docs/adr/0020-counts-and-search-keys.md).
 *
 * @throws PageTooLarge
 */
export async function searchPage<Row>(db: Sql, query: PageQuery, readRows: ReadRows<Row>): Promise<Page<Row>> {
  const read: Read<Row> = ({ values, ...statement }) => readRows(db, textOf(query, statement), values);
  const { searchBy } = query;
  if (searchBy === undefined) return pageOf(await read(inOrder(query, undefined)));
  if ("fewTexts" in searchBy) return pageOf(await read(byTexts(query, searchBy.fewTexts)));

  const first = await read({ ...inOrder(query, FIRST_ROWS), seen: query.count ?? countRows(query) });
  if (first.seen <= FIRST_ROWS) return pageOf(first);
  if (first.seen <= SHORT_LIST) return pageOf(await read(inOrder(query, undefined)));
  const common = await findCommon(read, query, first);
  if (common !== undefined) return pageOf(common);
  // A text may be common in old records alone: then reading all its entries in the index would take 200 ms.
  const backwards = reversed(query);
  const found =
    (await findCommon(read, backwards, await read(inOrder(backwards, FIRST_ROWS)))) ??
    (await read(byKeys(query, searchBy, sql`limit 10001`)));
  if (found.total <= MOST) return pageOf(found);

  // Of those that were found, the first in the order of the list are unknown.
  const last = firstRow(query) + rowsOf(query);
  if (first.total >= last) return pageOf({ ...found, rows: first.rows });
  const ordered = await read(inOrder(query, MORE_ROWS, last));
  if (ordered.total >= last) return pageOf({ ...found, rows: ordered.rows });
  return pageOf({ ...found, rows: (await read(byKeys(query, searchBy, sql``))).rows });
}

interface SearchStatement extends PageStatement {
  readonly values: readonly unknown[];
}

type Read<Row> = (statement: SearchStatement) => Promise<ReadPage<Row>>;

/** Returns a page of more than 10,000 matches, if they are found in their order; `first` is that of the first rows. */
async function findCommon<Row>(
  read: Read<Row>,
  query: PageQuery,
  first: ReadPage<Row>,
): Promise<ReadPage<Row> | undefined> {
  if (first.total * 5 < FIRST_ROWS) return undefined;
  const more = await read(inOrder(query, MORE_ROWS));
  return more.total > MOST ? more : undefined;
}

function reversed(query: PageQuery): PageQuery {
  const { column, direction } = query.order;
  return { ...query, order: { column, direction: direction === "asc" ? "desc" : "asc" } };
}

function pageOf<Row>({ total, rows }: ReadPage<Row>): Page<Row> {
  return total > MOST ? { totalCount: MOST, totalCountCapped: true, rows } : { totalCount: total, rows };
}

const firstRow = ({ page, pageSize }: PageQuery) => Math.min(page * pageSize, MOST);
const rowsOf = (query: PageQuery) => Math.min(query.pageSize, MOST - firstRow(query));

/** Examines that many rows in the order of the list, or all, until it has found `most`. */
function inOrder(query: PageQuery, rows: number | undefined, most = MOST + 1): SearchStatement {
  const { from, where, params, order, searchColumns } = query;
  const found = matches(searchColumns, needleOf(query));
  const position = orderColumns[order.column];
  const limit = rows === undefined ? sql`` : sql`limit ${parameter(params.length + 5)}`;
  const parts = sql`
    seen as not materialized (
      select id, ${position}, (${found}) as found
      from ${from}
      where (${where})
      ${orderBy(order)}
      ${limit}
    ),
    matched as materialized (
      select id, ${position}
      from seen
      where found
      limit ${parameter(params.length + 4)}
    ),
    ${idsOf(query)},
    ${pageOfIds(query)}`;
  return { parts, total: countMatched, values: [...valuesOf(query), most, ...(rows === undefined ? [] : [rows])] };
}

/** Counts the rows of the list, up to one more than a short list has. */
const countRows = ({ from, where }: PageQuery) => sql`
  (
    select count(*)
    from (
      select
      from ${from}
      where (${where})
      limit 20001
    ) seen
  )`;

/** Finds the rows that have the keys of the search in the index, in any order. */
function byKeys(query: PageQuery, { keys, scope = sql`null` }: ByKeys, limit: SqlText): SearchStatement {
  const { from, where, order, searchColumns } = query;
  const needle = needleOf(query);
  const parts = sql`
    matched as materialized (
      select id, ${orderColumns[order.column]}
      from ${from}
      where (${where}) and ${keys} @@ search_query(${scope}, ${needle}) and (${matches(searchColumns, needle)})
      ${limit}
    ),
    ${idsOf(query)},
    ${pageOfIds(query)}`;
  return { parts, total: countMatched, values: valuesOf(query) };
}

interface ByKeys {
  readonly keys: SqlText;
  readonly scope: SqlText | undefined;
}

/** Finds each different text by one step in the index, and the rows of those texts that contain the search. */
function byTexts(query: PageQuery, column: SqlText): SearchStatement {
  const { from, where, params, order } = query;
  const position = orderColumns[order.column];
  const next = (condition: SqlText) => sql`
    select ${column} as text
    from ${from}
    where (${where}) ${condition}
    order by ${column}
    limit 1`;
  const parts = sql`
    texts as (
      (${next(sql``)})
      union all
      select (${next(sql`and ${column} > texts.text`)})
      from texts
      where texts.text is not null
    ),
    found as materialized (
      select text
      from texts
      where ${matches([sql`text`], needleOf(query))}
    ),
    matched as (
      select of_text.*
      from found
      cross join lateral (
        select id, ${position}
        from ${from}
        where (${where}) and ${column} = found.text
        ${orderBy(order)}
        limit ${parameter(params.length + 1)}::bigint + ${parameter(params.length + 2)}::bigint
      ) of_text
    ),
    ${idsOf(query)},
    ${pageOfIds(query)}`;
  const total = sql`
    (
      select count(*)
      from (
        select
        from found
        cross join lateral (
          select
          from ${from}
          where (${where}) and ${column} = found.text
          limit 10001
        ) of_text
        limit 10001
      ) counted
    )`;
  return { parts, total, values: valuesOf(query) };
}

const countMatched = sql`(select count(*) from matched)`;

/** Returns the common table expression `ids`: those of the page, of the relation `matched`. */
const idsOf = ({ params, order }: PageQuery) => sql`
  ids as (
    select id
    from matched
    ${orderBy(order)}
    limit ${parameter(params.length + 1)}::bigint
    offset ${parameter(params.length + 2)}::bigint
  )`;

const needleOf = ({ params }: PageQuery) => sql`${parameter(params.length + 3)}::text`;

const valuesOf = (query: PageQuery) => [...query.params, rowsOf(query), firstRow(query), storable(query.search)];
