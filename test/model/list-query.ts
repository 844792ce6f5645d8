import { searchText } from "@cloud/access/values";
import fc from "fast-check";
import type { Item } from "./model.ts";
import { invalid, type Refusal } from "./refusals.ts";

/** The list parameters of a request; undefined ones are not sent. */
export interface ListQuery {
  readonly search: string | undefined;
  readonly order: string | undefined;
  readonly page: string | undefined;
  readonly pageSize: string | undefined;
}

const optionally = (...values: readonly string[]) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });

const ORDERS = ["created_at", "created_at asc", "updated_at desc", "updatedAt asc", "updated_at", "createdAt desc"];

export const anyListQuery: fc.Arbitrary<ListQuery> = fc.record({
  search: optionally("ALPHA", "beta", "%", "_", "äPF", "A\u0308pf", "ΟΔΟΣ", "my work", "nothing"),
  order: optionally(...ORDERS, ...ORDERS, "name", "updated_at down"),
  page: optionally("0", "1", "2", "1", "-1"),
  pageSize: optionally("1", "2", "3", "100", "1000", "0", "few"),
});

/** Returns the errors of the parameters, by contract section 4. */
export function refusedQuery({ order, page, pageSize }: ListQuery): readonly Refusal[] {
  return [
    ...(order !== undefined && !ORDERS.includes(order)
      ? [invalid("order", "created_at or updated_at, optionally with asc or desc")]
      : []),
    ...(page === "-1" ? [invalid("page", "a whole number from 0 to 2147483647")] : []),
    ...(pageSize === "few" ? [invalid("pageSize", "a whole number")] : []),
  ];
}

/** Returns the parameters in a URL, after others. */
export function queryString(query: ListQuery, others: Readonly<Record<string, string>>): string {
  const entries = Object.entries({ ...others, ...query }).filter((entry): entry is [string, string] => !!entry[1]);
  return entries.length === 0 ? "" : "?" + new URLSearchParams(entries).toString();
}

/** Returns a list's response for its parameters, from all its items. */
export function pageOf<T extends Item>(key: string, items: readonly T[], query: ListQuery, body: (item: T) => unknown) {
  const { search = "", order = "created_at desc" } = query;
  const found = items.filter(({ name, description }) =>
    [name, description].some((text) => searchText(text).includes(searchText(search))),
  );
  const by = order.startsWith("updated") ? "updatedAt" : "createdAt";
  const direction = order.endsWith("asc") ? 1 : -1;
  const sorted = found.toSorted((a, b) => direction * (compareTexts(a[by], b[by]) || compareTexts(a.id, b.id)));
  const page = Number(query.page ?? 0);
  const pageSize = Math.min(Number(query.pageSize ?? 25) || 25, 100);
  const shown = sorted.slice(page * pageSize, (page + 1) * pageSize);
  return { page, pageSize, totalCount: found.length, [key]: shown.map(body) };
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
