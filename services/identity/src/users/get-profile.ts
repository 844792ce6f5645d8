import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetProfileRequest } from "@cloud/proto/identity/v1/user_service_pb";
import { type Caller, fail } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findCurrentOrganization } from "../preferences/find-current-organization.ts";
import { selectPreferences } from "../preferences/preferences-sql.ts";
import { profileToProto } from "./profile-to-proto.ts";
import { requireUser } from "./require-user.ts";
import { selectLiveUser, selectOrganizationsWithRoles } from "./users-sql.ts";

export async function getProfile({ db }: IdentityContext, _request: GetProfileRequest, caller: Caller) {
  const id = requireUser(caller);
  const [user, organizations, preferences, current] = await Promise.all([
    selectLiveUser(db, id),
    selectOrganizationsWithRoles(db, id),
    selectPreferences(db, id),
    findCurrentOrganization(db, caller),
  ]);
  if (user === undefined) {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return { profile: profileToProto({ user, organizations, preferences, current }) };
}
