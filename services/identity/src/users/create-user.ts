import { isUniqueViolation } from "@cloud/postgres";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateUserRequest } from "@cloud/proto/identity/v1/user_service_pb";
import { type Caller, fail, newId, parseTextParameter, permissionName, type UserId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { parseAvatarUrl, parseEmail } from "./user-rules.ts";
import { userToProto } from "./user-to-proto.ts";
import { insertUser } from "./users-sql.ts";

export async function createUser({ db }: IdentityContext, request: CreateUserRequest, caller: Caller) {
  const email = parseEmail(request.email);
  const firstName = parseTextParameter("firstName", request.firstName);
  const lastName = parseTextParameter("lastName", request.lastName);
  const avatarUrl = parseAvatarUrl(request.avatarUrl);
  if (!caller.holdsAnywhere(Permission.MANAGE_USERS)) {
    throw fail(Reason.PERMISSION_DENIED, { permission: permissionName(Permission.MANAGE_USERS) });
  }
  const id = newId<UserId>();
  try {
    const row = await db.withTransaction((tx) => insertUser(tx, { id, email, firstName, lastName, avatarUrl }));
    return { user: userToProto(row) };
  } catch (error) {
    throw isUniqueViolation(error, "users_live_email") ? fail(Reason.EMAIL_TAKEN, {}, error) : error;
  }
}
