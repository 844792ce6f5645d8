import { parameter, type SqlText, sql } from "../statement.ts";
import { orderBy, orderColumns, type PageQuery, type SearchKeys } from "./page-query.ts";
import { type PageStatement, pageOfIds } from "./read-page.ts";

/** The most matches that are counted, and returned on pages (contract, section 4). */
export const MAX_COUNTED = 10_000;

/** A statement of a search, with the values of its parameters. */
export interface SearchStatement extends PageStatement {
  readonly values: readonly unknown[];
}

/** Examines that many rows in the order of the list, or all, until it has found `max`. */
export function inOrder(query: PageQuery, rows: number | undefined, max = MAX_COUNTED + 1): SearchStatement {
  const { from, where, params, order, searchColumns } = query;
  const found = matches(searchColumns, needleOf(query), query.search);
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
  return { parts, total: countMatched, values: [...valuesOf(query), max, ...(rows === undefined ? [] : [rows])] };
}

/** Counts the rows of the list, up to one more than a short list has. */
export const countRows = ({ from, where }: PageQuery) => sql`
  (
    select count(*)
    from (
      select
      from ${from}
      where (${where})
      limit 20001
    ) seen
  )`;

/** Counts the rows that contain the first key of the search, among so many at the beginning of each list. */
export function countFirstKey(queries: readonly PageQuery[], rows: SqlText): SqlText {
  const counts = queries.map(
    (query) => sql`
      (
        select count(*)
        from (
          select (${matches(query.searchColumns, firstKeyOf(query), query.search)}) as found
          from ${query.from}
          where (${query.where})
          ${orderBy(query.order)}
          limit ${rows}
        ) sample
        where found
      )`,
  );
  return counts.reduce((sum, count) => sql`${sum} + ${count}`);
}

/** Finds the rows that have the keys of the search in the index, or the first key alone, in any order. */
export function byKeys(
  query: PageQuery,
  { keys, scope = sql`null` }: SearchKeys,
  limit: SqlText,
  isFirstOnly = false,
): SearchStatement {
  const { from, where, order, searchColumns } = query;
  const wanted = isFirstOnly ? firstKeyOf(query) : needleOf(query);
  const parts = sql`
    matched as materialized (
      select id, ${orderColumns[order.column]}
      from ${from}
      where (${where}) and ${keys} @@ search_query(${scope}, ${wanted}) and (${matches(searchColumns, needleOf(query), query.search)})
      ${limit}
    ),
    ${idsOf(query)},
    ${pageOfIds(query)}`;
  return { parts, total: countMatched, values: valuesOf(query) };
}

/** Finds each different text by one step in the index, and the rows of those texts that contain the search. */
export function byTexts(query: PageQuery, column: SqlText): SearchStatement {
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
      where ${matches([sql`text`], needleOf(query), query.search)}
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

/** Returns the common table expression `ids`: the ids of the page, from the relation `matched`. */
const idsOf = ({ params, order }: PageQuery) => sql`
  ids as (
    select id
    from matched
    ${orderBy(order)}
    limit ${parameter(params.length + 1)}::bigint
    offset ${parameter(params.length + 2)}::bigint
  )`;

const needleOf = ({ params }: PageQuery) => sql`${parameter(params.length + 3)}::text`; // protects: search-parameter

const firstKeyOf = (query: PageQuery) => sql`left(search_text(${needleOf(query)}), 3)`;

const valuesOf = (query: PageQuery) => [...query.params, rowsOf(query), firstRow(query), storable(query.search)];

/** Returns the place of the first row of the page among the matches that are shown. */
export const firstRow = ({ page, pageSize }: PageQuery) => Math.min(page * pageSize, MAX_COUNTED);
export const rowsOf = (query: PageQuery) => Math.min(query.pageSize, MAX_COUNTED - firstRow(query));

/**
 * Returns the condition that a column contains the parameter, whose value is `search`, by `search_text` of the schema
 * (packages/service/migrations/0009_search_text.sql): in any case and any normal form. An ASCII text takes half as long
 * as with lower() of ICU, and another one six times as long: 0.6 and 6 µs for 40 characters.
 *
 * A search that begins or ends with a combining mark may be a part of several marks that the text has in another order
 * than the normal form; therefore it is also compared as it was typed.
 */
function matches(columns: readonly SqlText[], parameter: SqlText, search: string): SqlText {
  const forms = mayCutMarks(search) ? [folded, foldedAsTyped] : [folded];
  const conditions = columns.flatMap((column) =>
    forms.map((form) => sql`strpos(${form(column)}, ${form(parameter)}) > 0`),
  );
  const [first, ...others] = conditions;
  if (first === undefined) throw new TypeError("a search needs columns");
  return others.reduce((any, condition) => sql`${any} or ${condition}`, first);
}

/** Returns the text as searches compare it. */
const folded = (text: SqlText) => sql`search_text(${text})`;

const foldedAsTyped = (text: SqlText) => sql`fold_letters(${text})`;

/** Returns whether the search begins or ends with a combining mark. */
const mayCutMarks = (search: string) => /^\p{M}|\p{M}$/u.test(search.normalize("NFD"));

/** Replaces U+0000, which Postgres refuses in a text, by U+FFFF, a noncharacter. */
const storable = (search: string) => search.replaceAll("\0", "\uffff");
