import { type ListParameters, parseListParameters } from "@cloud/access/lists";
import { searchText } from "@cloud/access/values";

interface ShortListRequest {
  readonly search: string;
  readonly order: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

/** All roles and all keys fit on one page: a client that reads no second one misses none. */
const DEFAULT_PAGE_SIZE = 100n;

/** Parses the parameters of a short list. @throws INVALID_PARAMETER. */
export function parseShortListParameters(request: ShortListRequest): ListParameters {
  const pageSize = request.pageSize === 0n ? DEFAULT_PAGE_SIZE : request.pageSize;
  return parseListParameters({ ...request, pageSize }, { orderByName: true });
}

/**
 * Returns a page of the entries whose names contain the search, ignoring case, and the number of all of those. They come as
 * they are, or by name: none is older than another.
 */
export function pageOf<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  { search, order, page, pageSize }: ListParameters,
) {
  const wanted = searchText(search);
  const found = entries.filter(({ name }) => searchText(name).includes(wanted));
  const ordered = order.column === "name" ? byName(found, order.direction) : found;
  return { page, pageSize, totalCount: found.length, entries: ordered.slice(page * pageSize, (page + 1) * pageSize) };
}

/** ICU's root collation, as in Postgres. */
const { compare } = new Intl.Collator("und");

function byName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  direction: "asc" | "desc",
): Entry[] {
  const sign = direction === "asc" ? 1 : -1;
  return entries.toSorted((a, b) => sign * compare(a.name, b.name));
}
