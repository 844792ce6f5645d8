import { plannedEachTime, type Reader, sql } from "../statement.ts";
import type { Page, PageQuery, SearchKeys } from "./page-query.ts";
import { type ReadPage, type ReadRows, textOf } from "./read-page.ts";
import {
  byKeys,
  byTexts,
  countFirstKey,
  countRows,
  firstRow,
  inOrder,
  MAX_COUNTED,
  rowsOf,
  type SearchStatement,
} from "./search-statements.ts";

/** Rows that are examined in their order first: they take 1 ms. */
const FIRST_ROWS = 1_000;
/**
 * The most rows of a list that is examined completely, which takes 20 ms: searching the keys of others in the index may
 * take longer.
 */
const SHORT_LIST = 20_000;
/**
 * Rows that are examined in their order, which takes 40 ms, for a text that at least every fifth of the first contains.
 */
const MORE_ROWS = 50_000;

/**
 * Returns a page of the rows that contain the search. An index finds rare texts quickly, and the order of the list
 * common ones; the first rows in that order show which. So a search takes about as long as a page, whatever the text
 * (docs/adr/0020-counts-and-search-keys.md).
 *
 * @throws PageTooLarge
 */
export async function searchPage<Row>(db: Reader, query: PageQuery, readRows: ReadRows<Row>): Promise<Page<Row>> {
  const read: Read<Row> = ({ values, ...statement }) => readRows(db, plannedEachTime(textOf(query, statement)), values);
  const { searchBy } = query;
  if (searchBy === undefined) return pageOf(await read(inOrder(query, undefined)));
  if ("fewTexts" in searchBy) return pageOf(await read(byTexts(query, searchBy.fewTexts)));

  const first = await read({ ...inOrder(query, FIRST_ROWS), counted: query.count ?? countRows(query) });
  if (first.counted <= FIRST_ROWS) return pageOf(first);
  if (first.counted <= SHORT_LIST) return pageOf(await read(inOrder(query, undefined)));
  const common = await findCommon(read, query, first);
  if (common !== undefined) return pageOf(common);
  // A text may be common in old records alone: then reading all its entries in the index would take 200 ms.
  const backwards = reversed(query);
  const mayNeedOneKey = isAscii(query.search) && first.total * 100 >= FIRST_ROWS;
  const withFirstKey = mayNeedOneKey ? countFirstKey([query, backwards], sql`1000`) : sql`0`;
  const last = await read({ ...inOrder(backwards, FIRST_ROWS), counted: withFirstKey });
  const commonInOld = await findCommon(read, backwards, last);
  if (commonInOld !== undefined) return await firstOfMany(read, query, first, searchBy);
  // If few rows contain the first key but not the text, the others would be read in vain: 57 ms instead of 42 for a text
  // of four keys that 125,000 rows contain.
  const needsOneKey = mayNeedOneKey && last.counted * 4 <= (first.total + last.total) * 5;
  const found = await read(byKeys(query, searchBy, sql`limit 10001`, needsOneKey));
  return found.total > MAX_COUNTED ? await firstOfMany(read, query, first, searchBy) : pageOf(found);
}

type Read<Row> = (statement: SearchStatement) => Promise<ReadPage<Row>>;

/**
 * Returns a page of more than 10,000 matches, if they are found in their order; `first` is the page of the first rows.
 */
async function findCommon<Row>(
  read: Read<Row>,
  query: PageQuery,
  first: ReadPage<Row>,
): Promise<ReadPage<Row> | undefined> {
  if (first.total * 5 < FIRST_ROWS) return undefined;
  const more = await read(inOrder(query, MORE_ROWS));
  return more.total > MAX_COUNTED ? more : undefined;
}

/** Returns whether a text is ASCII. Another one may begin with a part of a letter, which is no key of its rows. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/** Returns a page of more than 10,000 matches: which of them are the first in the order of the list is unknown. */
async function firstOfMany<Row>(
  read: Read<Row>,
  query: PageQuery,
  first: ReadPage<Row>,
  searchBy: SearchKeys,
): Promise<Page<Row>> {
  const total = MAX_COUNTED + 1;
  const last = firstRow(query) + rowsOf(query);
  if (first.total >= last) return pageOf({ ...first, total });
  const ordered = await read(inOrder(query, MORE_ROWS, last));
  if (ordered.total >= last) return pageOf({ ...ordered, total });
  return pageOf({ ...(await read(byKeys(query, searchBy, sql``))), total });
}

function reversed(query: PageQuery): PageQuery {
  const { column, direction } = query.order;
  return { ...query, order: { column, direction: direction === "asc" ? "desc" : "asc" } };
}

function pageOf<Row>({ total, rows }: ReadPage<Row>): Page<Row> {
  return total > MAX_COUNTED ? { totalCount: MAX_COUNTED, totalCountCapped: true, rows } : { totalCount: total, rows };
}
