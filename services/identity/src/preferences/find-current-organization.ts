import { type Caller, isId, type OrganizationId } from "@cloud/contract";
import type { Context } from "../context.ts";
import { selectPreferences } from "../selections/preferences-sql.ts";

/**
 * Returns the organization that the caller works in (contract, section 5): that of the header `service-current-orgid`,
 * else the selected one, else their only one. Skips organizations of which the caller is not a member.
 */
export async function findCurrentOrganization(context: Context, caller: Caller): Promise<OrganizationId | undefined> {
  const requested = caller.requestedOrganization.toLowerCase() as OrganizationId;
  if (isId(requested) && (await caller.isMemberOf(requested))) {
    return requested;
  }
  const selected =
    caller.userId === "" ? null : (await selectPreferences(context.db, caller.userId)).selected_organization;
  if (selected !== null && (await caller.isMemberOf(selected))) {
    return selected;
  }
  const [only, ...others] = caller.organizationIds;
  return only !== undefined && others.length === 0 && (await caller.isMemberOf(only)) ? only : undefined;
}
