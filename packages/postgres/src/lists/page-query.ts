import { type SqlText, sql, type TextRow } from "../statement.ts";

export interface Order {
  column: "created_at" | "updated_at" | "name" | "title";
  direction: "asc" | "desc";
}

/** The rows of a list. */
export interface ListSource {
  /** Must include `id` and the column of the order. */
  columns: SqlText;
  from: SqlText;
  where: SqlText;
  /** The values of $1, $2… in `from`, `where`, `count` and `searchBy`. */
  params: readonly unknown[];
  /** The number of rows, as an expression. Without it they are counted, which takes 0.3 µs for each. */
  count?: SqlText;
  /** Whether a statement of the list takes longer than one by key, even for the first page. */
  isLong?: boolean;
  /**
   * Whether the rows before the 1,000th are read by the same plan whatever the parameters, for example because an index
   * has them in the order of the list: planning took three quarters of what such a page costs.
   */
  isPlannedOnce?: boolean;
  searchColumns: readonly SqlText[];
  /** The index for searches. Without it, a search reads the rows of the list until it has found 10,001. */
  searchBy?: SearchBy;
  /**
   * A jsonb column whose values the table does not limit. The values of a page take at most `maxBytes` in Postgres.
   */
  largeColumn?: SqlText;
  /** 16 MiB if absent. */
  maxBytes?: SqlText;
}

type SearchBy =
  | SearchKeys
  /** There are few different texts in this column, and an index begins with them after the columns of `where`. */
  | { readonly fewTexts: SqlText };

/** The indexed expression `search_keys(…)`, and the scope that its keys include; all scopes if undefined. */
export interface SearchKeys {
  readonly keys: SqlText;
  readonly scope: SqlText | undefined;
}

export interface PageQuery extends ListSource {
  /** A case-insensitive substring of one of `searchColumns`; %, _ and \ match themselves; empty matches all. */
  search: string;
  order: Order;
  /** The number of the page, from 0. */
  page: number;
  pageSize: number;
}

export interface Page<Row> {
  /** The rows of all pages, even when this one is past the end. */
  totalCount: number;
  /** Set when a search has found more than `totalCount`, 10,000, rows. No page has the others. */
  totalCountCapped?: true;
  rows: Row[];
}

/** A page whose rows are as Postgres prints them. The columns follow `META_COLUMNS` others. */
export type TextPage = Page<TextRow>;

export const orderColumns: Readonly<Record<Order["column"], SqlText>> = {
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
  name: sql`name`,
  title: sql`title`,
};

/**
 * The collation of texts is ICU's root, as in the indexes of these lists. A database's own may be of bytes, in which
 * Zulu comes before alpha, or of any language.
 */
const collations: Readonly<Record<Order["column"], SqlText>> = {
  created_at: sql``,
  updated_at: sql``,
  name: sql`collate "und-x-icu"`,
  title: sql`collate "und-x-icu"`,
};

const directions: Readonly<Record<Order["direction"], SqlText>> = { asc: sql`asc`, desc: sql`desc` };

/** Orders by the column, and ties by id in the same direction; `table` is a prefix such as `page.`. */
export function orderBy({ column, direction }: Order, table = sql``): SqlText {
  const towards = directions[direction];
  return sql`order by ${table}${orderColumns[column]} ${collations[column]} ${towards}, ${table}id ${towards}`;
}

/** Thrown when the rows of a page are larger than they may be. They were not read. */
export class PageTooLarge extends Error {
  override readonly name = "PageTooLarge";
}
