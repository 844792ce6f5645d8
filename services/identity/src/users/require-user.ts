import { type Caller, fail, type UserId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** Returns the calling user. @throws USER_NOT_FOUND to a service, which has no profile and no selection. */
export function requireUser(caller: Caller): UserId {
  if (caller.userId === "") {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return caller.userId;
}
