import { type ListParameters, parseListParameters, searchText } from "@cloud/contract";

interface ShortListRequest {
  readonly search: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

export type ShortListParameters = Pick<ListParameters, "search" | "page" | "pageSize">;

/** All roles and all keys fit on one page: a client that reads no second one misses none. */
const DEFAULT_PAGE_SIZE = 100n;

/** Parses the parameters of a list with an order of its own. @throws INVALID_PARAMETER. */
export function parseShortListParameters({ search, page, pageSize }: ShortListRequest): ShortListParameters {
  return parseListParameters({ search, order: "", page, pageSize: pageSize === 0n ? DEFAULT_PAGE_SIZE : pageSize });
}

/** Returns a page of the entries whose names contain the search, ignoring case, and the number of all of those. */
export function pageOf<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  { search, page, pageSize }: ShortListParameters,
) {
  const wanted = searchText(search);
  const found = entries.filter(({ name }) => searchText(name).includes(wanted));
  return { page, pageSize, totalCount: found.length, entries: found.slice(page * pageSize, (page + 1) * pageSize) };
}
