import type { Sql } from "../sql.ts";
import { parameter, sql } from "../sql-text.ts";
import { orderBy } from "./page-order.ts";
import type { Page, PageQuery } from "./page-query.ts";
import { type PageStatement, pageOfIds, readPage } from "./read-page.ts";
import { searchPage } from "./search-page.ts";

/**
 * Returns a page and the total count, of one snapshot, in one statement; a search of a long list may take three. Ties
 * are broken by id in the same direction.
 *
 * @throws PageTooLarge
 */
export async function selectPage<Row>(db: Sql, query: PageQuery): Promise<Page<Row>> {
  if (query.search !== "") return await searchPage<Row>(db, query);
  const { total, rows } = await readPage<Row>(db, query, pageInOrder(query));
  return { totalCount: total, rows };
}

/** From this row on, ids are skipped in the index alone, and only the rows of the page are read from the table. */
const DEEP = 1000n;

function pageInOrder(query: PageQuery): PageStatement {
  const { columns, from, where, params, order } = query;
  const offset = offsetOf(query);
  const rows = sql`
    from ${from}
    where (${where})
    ${orderBy(order)}
    limit ${parameter(params.length + 1)}::bigint
    offset ${parameter(params.length + 2)}::bigint`;
  const parts =
    offset < DEEP
      ? sql`
        page as (
          select true as page_row, ${columns}
          ${rows}
        )`
      : sql`
        ids as (
          select id
          ${rows}
        ),
        ${pageOfIds(query)}`;
  const counted = sql`(select count(*) from ${from} where (${where}))`;
  return { parts, total: query.count ?? counted, values: [...params, query.pageSize, String(offset)] };
}

/** page × pageSize may exceed the safe integers; no row lies past bigint. */
function offsetOf({ page, pageSize }: PageQuery): bigint {
  const offset = BigInt(page) * BigInt(pageSize);
  const maximum = 2n ** 63n - 1n;
  return offset < maximum ? offset : maximum;
}
