import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, type UserId } from "@cloud/rpc";

/** The user who calls. @throws USER_NOT_FOUND for a service, which has no profile and selects nothing. */
export function requireUser(caller: Caller): UserId {
  if (caller.userId === "") {
    throw fail(Reason.USER_NOT_FOUND);
  }
  return caller.userId;
}
