import { type Caller, found } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetProfileRequest } from "@cloud/proto/identity/v1/user_service_pb";
import type { Context } from "../context.ts";
import { findCurrentOrganization } from "../preferences/find-current-organization.ts";
import { selectPreferences } from "../selections/preferences-sql.ts";
import { requireUser } from "../users/require-user.ts";
import { selectOrganizationsWithRoles, selectUser } from "../users/user-sql.ts";
import { profileToProto } from "./profile-to-proto.ts";

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
    profile: profileToProto({ user: found(user, Reason.USER_NOT_FOUND), organizations, preferences, currentId }),
  };
}
