import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetUserRequest } from "@cloud/proto/identity/v1/user_service_pb";
import type { Context } from "../context.ts";
import { userToProto } from "../to-proto.ts";
import { selectRelation, selectUser, type UserRow } from "./sql.ts";

/** Returns a live user. @throws USER_NOT_FOUND also for a user whom the caller may not see. */
export async function getUser(context: Context, caller: Caller, request: GetUserRequest) {
  const id = parseId<UserId>(request.id, Reason.USER_NOT_FOUND);
  const row = orThrow(await selectUser(context.db, id), Reason.USER_NOT_FOUND);
  const visibility = await visibilityOf(context, caller, id);
  if (visibility === "nothing") {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return { user: userToProto(visibility === "all" ? row : withoutEmail(row)) };
}

/** Removes the address. Without it, the state is another representation, which has a tag of its own. */
function withoutEmail(row: UserRow): UserRow {
  return { ...row, email: "", etag: `${row.etag.slice(0, -1)}.name"` };
}

/**
 * Returns the part of a user that the caller sees. Services and Provider Admins see all users, and users see
 * themselves. Others see the members of their organizations, with the email only as an Org Admin there: membership
 * alone must not publish addresses.
 */
async function visibilityOf(context: Context, caller: Caller, userId: UserId): Promise<"all" | "name" | "nothing"> {
  if (caller.userId === "" || caller.userId === userId || caller.seesAllOrganizations) {
    return "all";
  }
  const relation = await selectRelation(context.db, caller.userId, userId);
  switch (relation) {
    case "Org Admin":
      return "all";
    case "member":
      return "name";
    case "none":
      return "nothing";
    default:
      return relation satisfies never;
  }
}
