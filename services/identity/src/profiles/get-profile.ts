import type { Caller } from "@cloud/access";
import { isId, type OrganizationId, orThrow } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetProfileRequest } from "@cloud/proto/identity/v1/user_service_pb";
import type { Context } from "../context.ts";
import { selectPreferences } from "../selections/preferences-sql.ts";
import { requireUser } from "../users/resolve-owner.ts";
import { selectOrganizationsWithRoles, selectUser } from "../users/sql.ts";
import { profileToProto } from "./to-proto.ts";

/** Returns the profile of the calling user. @throws USER_NOT_FOUND to a service. */
export async function getProfile(context: Context, caller: Caller, _request: GetProfileRequest) {
  const userId = requireUser(caller);
  const [user, organizations, preferences, currentId] = await Promise.all([
    selectUser(context.db, userId),
    selectOrganizationsWithRoles(context.db, userId),
    selectPreferences(context.db, userId),
    findCurrentOrganization(context, caller),
  ]);
  return {
    profile: profileToProto({ user: orThrow(user, Reason.USER_NOT_FOUND), organizations, preferences, currentId }),
  };
}

/**
 * Returns the organization that the caller works in (contract, section 5): the one in the header
 * `service-current-orgid`, else the selected one, else their only one. Skips an organization if the caller is not a
 * member of it.
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
