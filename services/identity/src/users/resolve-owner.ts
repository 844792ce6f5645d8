import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { selectUser } from "./sql.ts";

/** Returns the calling user. @throws USER_NOT_FOUND to a service, which has no profile and no selection. */
export function requireUser(caller: Caller): UserId {
  if (caller.userId === "") {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return caller.userId;
}

/**
 * Returns the owner of a new record: the calling user, or the user that a service names; null if it names none.
 *
 * @throws USER_NOT_FOUND if a service names a user that is not live.
 */
export async function resolveOwner(context: Context, caller: Caller, requested: string): Promise<UserId | null> {
  if (caller.userId !== "") {
    return caller.userId;
  }
  return requested === "" ? null : await requireNamedUser(context, caller, requested);
}

/** Returns the calling user, or the live user that a service must name. @throws USER_NOT_FOUND. */
export async function requireNamedUser(context: Context, caller: Caller, requested: string): Promise<UserId> {
  if (caller.userId !== "") {
    return caller.userId;
  }
  const id = parseId<UserId>(requested, Reason.USER_NOT_FOUND);
  return orThrow(await selectUser(context.db, id), Reason.USER_NOT_FOUND).id;
}
