import { type SqlText, sql } from "../sql-text.ts";
import type { Order } from "./page-query.ts";

export const orderColumns: Readonly<Record<Order["column"], SqlText>> = {
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
  name: sql`name`,
  title: sql`title`,
};

/**
 * Texts are in the order of ICU's root collation, as are the indexes of these lists: that of the database may be of bytes, in
 * which Zulu comes before alpha, or of any language.
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
