import type { OrganizationId } from "@cloud/contract";
import { type ListSource, parameter, type SqlText, sql } from "@cloud/postgres";
import { liveCount, searchKeys } from "./live-counts.ts";

interface InOrganizations {
  /** The condition that a record is in one of them. */
  readonly condition: SqlText;
  readonly param: OrganizationId | readonly OrganizationId[];
  /** The count of the list that the condition on `list` selects in `live_counts`. */
  readonly count: (isList: SqlText) => SqlText;
  /** Searches these columns by the index of their keys. */
  readonly searching: (...columns: SqlText[]) => Required<Pick<ListSource, "searchColumns" | "searchBy">>;
}

/** Always true. Only with it does Postgres consider the indexes of the lists of all organizations. */
export const ofAll = sql`id >= '00000000-0000-0000-0000-000000000000'`;

/**
 * Describes the lists of organizations, whose parameter is `$n`. For one organization the condition is `=`, so that an
 * index has the rows in the order of the list: Postgres cannot use that order with `= any`, and needed 670 ms for the
 * first page of 1,000,000 records instead of 0.03. Lists of several use indexes that have the order without the
 * organization (`ofAll`).
 */
export function inOrganizations(ids: readonly OrganizationId[], n: number): InOrganizations {
  const [only] = ids;
  const isOne = only !== undefined && ids.length === 1;
  const among = isOne ? sql`= ${parameter(n)}::uuid` : sql`= any(${parameter(n)}::uuid[])`;
  const scope = isOne ? sql`${parameter(n)}::uuid` : undefined;
  return {
    condition: isOne ? sql`organization_id ${among}` : sql`organization_id ${among} and ${ofAll}`,
    param: isOne ? only : ids,
    count: (isList) => liveCount(isList, among),
    searching: (...columns) => ({
      searchColumns: columns,
      searchBy: { keys: searchKeys(sql`organization_id`, columns), scope },
    }),
  };
}
