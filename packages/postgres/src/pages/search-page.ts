import type { Sql } from "../sql.ts";
import { parameter, type SqlText, sql } from "../sql-text.ts";
import { matches, storable } from "./match.ts";
import { orderBy, orderColumns } from "./page-order.ts";
import type { Page, PageQuery } from "./page-query.ts";
import { type PageStatement, pageOfIds, type ReadPage, readPage } from "./read-page.ts";

/** The most matches that are counted, and returned on pages (contract, section 4). */
const MOST = 10_000;
/** Rows that are examined in their order first. A list that is no longer has been searched completely by then. */
const FIRST_ROWS = 1_000;
/** Rows that are examined in their order for a text that every fifth contains, or more: they take 40 ms. */
const MORE_ROWS = 50_000;

/**
 * Returns a page of the rows that contain the search. An index finds rare texts quickly, and the order of the list
 * common ones; the first rows in that order show which. So a search for any text takes about as long as one page: in
 * 1,000,000 workspaces under 50 ms (docs/adr/0018-counts-and-search-keys.md).
 *
 * @throws PageTooLarge
 */
export async function searchPage<Row>(db: Sql, query: PageQuery): Promise<Page<Row>> {
  const read = (statement: PageStatement) => readPage<Row>(db, query, statement);
  const { searchBy } = query;
  if (searchBy === undefined) return pageOf(await read(inOrder(query, undefined)));
  if ("fewTexts" in searchBy) return pageOf(await read(byTexts(query, searchBy.fewTexts)));

  const first = await read({ ...inOrder(query, FIRST_ROWS), seen: countSeen(query) });
  if (first.seen < FIRST_ROWS) return pageOf(first);
  const more = first.total * 5 >= FIRST_ROWS ? await read(inOrder(query, MORE_ROWS)) : undefined;
  if (more !== undefined && more.total > MOST) return pageOf(more);
  const found = await read(byKeys(query, searchBy, sql`limit 10001`));
  if (found.total <= MOST) return pageOf(found);

  const enough = ({ total }: ReadPage<Row>) => total >= firstRow(query) + rowsOf(query);
  if (enough(first)) return pageOf({ ...found, rows: first.rows });
  const ordered = more ?? (await read(inOrder(query, MORE_ROWS)));
  if (enough(ordered)) return pageOf({ ...found, rows: ordered.rows });
  return pageOf({ ...found, rows: (await read(byKeys(query, searchBy, sql``))).rows });
}

function pageOf<Row>({ total, rows }: ReadPage<Row>): Page<Row> {
  return total > MOST ? { totalCount: MOST, totalCountCapped: true, rows } : { totalCount: total, rows };
}

const firstRow = ({ page, pageSize }: PageQuery) => Math.min(page * pageSize, MOST);
const rowsOf = (query: PageQuery) => Math.min(query.pageSize, MOST - firstRow(query));

/** Examines that many rows in the order of the list, or all until it has found enough. */
function inOrder(query: PageQuery, rows: number | undefined): PageStatement {
  const { from, where, params, order, searchColumns } = query;
  const found = matches(searchColumns, needleOf(query));
  const position = orderColumns[order.column];
  const limit = rows === undefined ? sql`` : sql`limit ${parameter(params.length + 4)}`;
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
      limit 10001
    ),
    ${idsOf(query)},
    ${pageOfIds(query)}`;
  return { parts, total: countMatched, values: [...valuesOf(query), ...(rows === undefined ? [] : [rows])] };
}

/** Counts the rows of the list, up to the number that `inOrder` examines. */
const countSeen = ({ from, where, params }: PageQuery) => sql`
  (
    select count(*)
    from (
      select
      from ${from}
      where (${where})
      limit ${parameter(params.length + 4)}
    ) seen
  )`;

/** Finds the rows that have the keys of the search in the index, in any order. */
function byKeys(query: PageQuery, { keys, scope = sql`null` }: ByKeys, limit: SqlText): PageStatement {
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
function byTexts(query: PageQuery, column: SqlText): PageStatement {
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
