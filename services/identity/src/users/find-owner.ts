import type { Sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, parseId, type UserId } from "@cloud/rpc";
import { selectLiveUser } from "./users-sql.ts";

/**
 * In whose name a record is created: the user who calls, or whom a service names; null when it names nobody.
 *
 * @throws USER_NOT_FOUND when it names nobody that there is.
 */
export async function findOwner(sql: Sql, caller: Caller, requested: string): Promise<UserId | null> {
  if (caller.userId !== "") {
    return caller.userId;
  }
  return requested === "" ? null : await findNamedUser(sql, caller, requested);
}

/** Who acts: the user who calls, or whom a service must name. @throws USER_NOT_FOUND. */
export async function findNamedUser(sql: Sql, caller: Caller, requested: string): Promise<UserId> {
  if (caller.userId !== "") {
    return caller.userId;
  }
  const user = parseId<UserId>(requested, Reason.USER_NOT_FOUND);
  if ((await selectLiveUser(sql, user)) === undefined) {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return user;
}
