import type { Sql } from "../sql.ts";
import { parameter, type SqlText, sql } from "../sql-text.ts";
import { folded, mayCutMarks, storable } from "./match.ts";
import { orderBy } from "./page-order.ts";
import type { PageQuery, SearchKeys } from "./page-query.ts";

/** The keys by which the index finds rows: all those of `text`, in the scope; in all scopes if undefined. */
export interface WantedKeys extends SearchKeys {
  readonly text: string;
}

export function allKeys({ search }: PageQuery, searchBy: SearchKeys): WantedKeys {
  return { ...searchBy, text: storable(search) };
}

/** What the first rows of a list, in the order of the query, show about a search. */
export interface Sample {
  readonly query: PageQuery;
  /** How many of the first 1,000 rows contain the text. */
  readonly matches: number;
}

/** Fewer matches of 1,000 show nothing. */
const FEW_MATCHES = 3;
/** A key that is in so many times as many rows as the text finds too many others. */
const MOST_PER_MATCH = 2;
/** From this share of the table's rows on, a scope leaves out so few others that to look it up costs more. */
const MOST_OF_TABLE = 0.8;

/**
 * Returns the keys that find a search of a list of `rows` rows with the least work: of a rare text all, and of one that many
 * rows contain only its rarest key. The index takes 0.1 µs for each row of each key, and 0.04 for each of the scope: for a
 * text in one of 8 of 1,000,000 rows, 46 ms with five of them and 15 with one.
 */
export async function selectWantedKeys(
  db: Sql,
  { query, matches }: Sample,
  searchBy: SearchKeys,
  rows: number,
): Promise<WantedKeys> {
  const all = allKeys(query, searchBy);
  // A row that has the text only as it was typed need not have a key of its normal form.
  if (matches < FEW_MATCHES || mayCutMarks(query.search)) return all;
  const { rows: found } = await db.query<Rarest>(rarestKey(query), [...query.params, all.text]);
  const [{ key, found: rowsWithKey, table_rows: tableRows } = NONE] = found;
  const scope = rows < MOST_OF_TABLE * tableRows || tableRows <= 0 ? searchBy.scope : undefined;
  return rowsWithKey > MOST_PER_MATCH * matches ? { ...all, scope } : { ...searchBy, scope, text: key };
}

interface Rarest extends Record<string, unknown> {
  readonly key: string;
  /** In how many of the first 1,000 rows it is. */
  readonly found: number;
  /** As Postgres estimates them; -1 if it has no estimate. */
  readonly table_rows: number;
}

const NONE: Rarest = { key: "", found: Number.POSITIVE_INFINITY, table_rows: -1 };

function rarestKey({ from, where, params, order, searchColumns }: PageQuery): SqlText {
  const text = searchColumns.reduce((all, column) => sql`${all} || e'\n' || ${column}`);
  return sql`
    with seen as materialized (
      select ${folded(text)} as text, tableoid as table_id
      from ${from}
      where (${where})
      ${orderBy(order)}
      limit 1000
    ),
    wanted as (
      select left(${folded(sql`${parameter(params.length + 1)}::text`)}, 48) as text
    ),
    keys as (
      select distinct substr(text, n, 3) as key
      from wanted
      cross join generate_series(1, greatest(char_length(text) - 2, 1)) n
    )
    select key,
      (
        select count(*)
        from seen
        where strpos(seen.text, key) > 0
      )::integer as found,
      (
        select reltuples
        from pg_class
        where oid = (select table_id from seen limit 1)
      )::float8 as table_rows
    from keys
    order by found, key
    limit 1`;
}
