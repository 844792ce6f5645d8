import { parameter, plannedEachTime, plannedOnce, type Reader, sql } from "../statement.ts";
import { orderBy, type Page, type PageQuery, PageTooLarge, type TextPage } from "./page-query.ts";
import { type PageStatement, pageOfIds, type ReadRows, readRows, readTextRows, textOf } from "./read-page.ts";
import { searchPage } from "./search-page.ts";

/**
 * Returns a page and the total count, of one snapshot, in one statement; a search of a long list may take three. Ties
 * are broken by id in the same direction.
 *
 * @throws PageTooLarge
 */
export async function selectPage<Row>(db: Reader, query: PageQuery): Promise<Page<Row>> {
  return await select<Row>(db, query, readRows);
}

/**
 * Does the same as `selectPage`, for rows that become bytes of a reply at once: 25 rows took 0.04 ms to become objects.
 *
 * @throws PageTooLarge
 */
export async function selectTextPage(db: Reader, query: PageQuery): Promise<TextPage> {
  return await select(db, query, readTextRows);
}

async function select<Row>(db: Reader, query: PageQuery, read: ReadRows<Row>): Promise<Page<Row>> {
  const { runHeavy } = db;
  if (runHeavy === undefined) return await selectWithPermit(db, query, read);
  const light = isHeavy(query) ? undefined : await findLight(db, query, read);
  return light ?? (await runHeavy(() => selectWithPermit(db, query, read))); // protects: heavy-share
}

/** Bytes from which a page is read in its turn: 20 requests for pages of 6 MB at once took the memory of a service. */
const LARGE_BYTES = sql`1048576`; // protects: large-pages

/** Returns undefined for a large page, whose rows Postgres does not send. */
async function findLight<Row>(db: Reader, query: PageQuery, read: ReadRows<Row>): Promise<Page<Row> | undefined> {
  try {
    return await selectWithPermit(db, { ...query, maxBytes: LARGE_BYTES }, read);
  } catch (error) {
    if (error instanceof PageTooLarge) return undefined;
    throw error;
  }
}

async function selectWithPermit<Row>(db: Reader, query: PageQuery, read: ReadRows<Row>): Promise<Page<Row>> {
  if (query.search !== "") return await searchPage(db, query, read);
  const offset = offsetOf(query);
  const values = [...query.params, query.pageSize, String(offset)];
  const text = textOf(query, pageInOrder(query, offset >= DEEP));
  const isPlannedOnce = query.isPlannedOnce === true && offset < DEEP;
  const { total, rows } = await read(db, (isPlannedOnce ? plannedOnce : plannedEachTime)(text), values);
  return { totalCount: total, rows };
}

/** The row from which ids are skipped in the index alone, and only the rows of the page are read from the table. */
const DEEP = 1000n;

/**
 * Returns whether a page may take longer than a statement by key: 5 to 120 ms in a list of 1,000,000 rows for a search,
 * and 4 ms for page 1,000, of one of the cores that Postgres has for all.
 */
const isHeavy = (query: PageQuery) => query.isLong === true || query.search !== "" || offsetOf(query) >= DEEP;

function pageInOrder(query: PageQuery, isDeep: boolean): PageStatement {
  const { columns, from, where, params, order } = query;
  const rows = sql`
    from ${from}
    where (${where})
    ${orderBy(order)}
    limit ${parameter(params.length + 1)}::bigint
    offset ${parameter(params.length + 2)}::bigint`;
  const parts = isDeep
    ? sql`
        ids as (
          select id
          ${rows}
        ),
        ${pageOfIds(query)}`
    : sql`
        page as (
          select true as page_row, ${columns}
          ${rows}
        )`;
  return { parts, total: query.count ?? sql`(select count(*) from ${from} where (${where}))` };
}

/** Returns the number of rows before the page. It may exceed the safe integers; no row lies past bigint. */
function offsetOf({ page, pageSize }: PageQuery): bigint {
  const offset = BigInt(page) * BigInt(pageSize);
  const maximum = 2n ** 63n - 1n;
  return offset < maximum ? offset : maximum;
}
