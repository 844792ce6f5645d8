import { type SqlText, sql } from "../sql-text.ts";
import type { Order } from "./page-query.ts";

export const orderColumns: Readonly<Record<Order["column"], SqlText>> = {
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
  name: sql`name`,
  title: sql`title`,
};

const directions: Readonly<Record<Order["direction"], SqlText>> = { asc: sql`asc`, desc: sql`desc` };

/** Orders by the column, and ties by id in the same direction; `table` is a prefix such as `page.`. */
export function orderBy({ column, direction }: Order, table = sql``): SqlText {
  const towards = directions[direction];
  return sql`order by ${table}${orderColumns[column]} ${towards}, ${table}id ${towards}`;
}
