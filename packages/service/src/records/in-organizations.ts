import type { OrganizationId } from "@cloud/contract";
import { parameter, type SqlText, sql } from "@cloud/postgres";

/**
 * Returns the condition that a record is in one of the organizations, and its parameter, `$n`. For one organization it
 * is `=`, so that an index has the rows in the order of the list: Postgres cannot use that order with `= any`, and
 * needed 670 ms for the first page of 1,000,000 records instead of 0.03.
 */
export function inOrganizations(
  ids: readonly OrganizationId[],
  n: number,
): { readonly condition: SqlText; readonly param: OrganizationId | readonly OrganizationId[] } {
  const [only] = ids;
  return only !== undefined && ids.length === 1
    ? { condition: sql`organization_id = ${parameter(n)}`, param: only }
    : { condition: sql`organization_id = any(${parameter(n)})`, param: ids };
}
