import type { Sql } from "@cloud/postgres";
import { type Caller, isId, type OrganizationId } from "@cloud/rpc";
import { selectPreferences } from "./preferences-sql.ts";

/**
 * The organization that the caller works in (contract, section 5): what the header `service-current-orgid` names, else
 * what they selected, else their only one. What is not one of theirs is passed over.
 */
export async function findCurrentOrganization(sql: Sql, caller: Caller): Promise<OrganizationId | undefined> {
  const requested = caller.requestedOrganization.toLowerCase() as OrganizationId;
  if (isId(requested) && (await caller.isMemberOf(requested))) {
    return requested;
  }
  const selected = caller.userId === "" ? null : (await selectPreferences(sql, caller.userId)).selected_organization;
  if (selected !== null && (await caller.isMemberOf(selected))) {
    return selected;
  }
  return caller.organizationIds.length === 1 ? caller.organizationIds[0] : undefined;
}
