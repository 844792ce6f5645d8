import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { newId, parseTextParameter, type UserId } from "@cloud/access/values";
import { isUniqueViolation, type Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateUserRequest } from "@cloud/proto/identity/v1/user_service_pb";
import { createOnce } from "@cloud/service";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { userToProto } from "../to-proto.ts";
import { parseAvatarUrl, parseEmail } from "./rules.ts";
import { insertUser, type NewUser, type UserRow } from "./sql.ts";

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

/**
 * Inserts a user and records that. Violates `users_live_email` if a live user has the email, in any case of ASCII
 * letters.
 */
export async function addUser(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  user: NewUser,
): Promise<UserRow> {
  const row = await insertUser(tx, user);
  recordAuditEvent(tx, context, actor, { action: "user.created", target: user.id });
  return row;
}
