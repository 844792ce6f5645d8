import { type ListParameters, parseListParameters } from "@cloud/access/lists";
import { searchText } from "@cloud/access/values";

interface ShortListRequest {
  readonly search: string;
  readonly order: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

/** Parses the parameters of a short list. @throws INVALID_PARAMETER. */
export function parseShortListParameters(request: ShortListRequest): ListParameters {
  const pageSize = request.pageSize === 0n ? DEFAULT_PAGE_SIZE : request.pageSize;
  return parseListParameters({ ...request, pageSize }, { orderByName: true });
}

/** The default size of a page, on which all roles and all keys fit: a client that reads one page misses none. */
const DEFAULT_PAGE_SIZE = 100n;

/**
 * Returns a page of the entries whose names contain the search, ignoring case, and the number of all such entries. They
 * keep their order, or are sorted by name: none is older than another.
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

/** The comparison by ICU's root collation, as in Postgres. */
const { compare } = new Intl.Collator("und");

function byName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  direction: "asc" | "desc",
): Entry[] {
  const sign = direction === "asc" ? 1 : -1;
  return entries.toSorted((a, b) => sign * compare(a.name, b.name));
}
