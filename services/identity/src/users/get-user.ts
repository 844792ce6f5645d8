import type { Sql } from "@cloud/postgres";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetUserRequest } from "@cloud/proto/identity/v1/user_service_pb";
import { type Caller, fail, parseId, type UserId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { userToProto } from "./user-to-proto.ts";
import { selectLiveUser, selectSharesOrganization } from "./users-sql.ts";

export async function getUser({ db }: IdentityContext, request: GetUserRequest, caller: Caller) {
  const id = parseId<UserId>(request.id, Reason.USER_NOT_FOUND);
  const row = await selectLiveUser(db, id);
  if (row === undefined || !(await maySee(db, caller, id))) {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return { user: userToProto(row) };
}

/** Services and Provider Admins see everyone, others themselves and whom they share an organization with. */
async function maySee(sql: Sql, caller: Caller, user: UserId): Promise<boolean> {
  if (caller.userId === "" || caller.userId === user || caller.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS)) {
    return true;
  }
  return await selectSharesOrganization(sql, caller.userId, user);
}
