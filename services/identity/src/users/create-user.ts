import { type Caller, fail, newId, parseTextParameter, type UserId } from "@cloud/contract";
import { isUniqueViolation } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateUserRequest } from "@cloud/proto/identity/v1/user_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import { addUser } from "./add-user.ts";
import { parseAvatarUrl, parseEmail } from "./user-rules.ts";
import { userToProto } from "./user-to-proto.ts";

/** Creates a user. @throws EMAIL_TAKEN if a live user has the email, in any case of ASCII letters. */
export async function createUser(context: Context, caller: Caller, request: CreateUserRequest) {
  const email = parseEmail(request.email);
  const firstName = parseTextParameter("first_name", request.firstName);
  const lastName = parseTextParameter("last_name", request.lastName);
  const avatarUrl = parseAvatarUrl(request.avatarUrl);
  caller.requireAnywhere();
  const id = newId<UserId>();
  try {
    const user = { id, email, firstName, lastName, avatarUrl };
    return await createOnce(context, async (tx) => ({ user: userToProto(await addUser(tx, context, caller, user)) }));
  } catch (error) {
    throw isUniqueViolation(error, "users_live_email") ? fail(Reason.EMAIL_TAKEN, {}, error) : error;
  }
}
