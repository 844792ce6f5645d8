import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RevokeTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { type Caller, fail, parseId, type TokenId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { revokeTokenOf } from "./tokens-sql.ts";

/** The very next request with it is refused, as nothing remembers tokens but the table. Twice is as good as once. */
export async function revokeToken({ db }: IdentityContext, request: RevokeTokenRequest, caller: Caller) {
  const id = parseId<TokenId>(request.id, Reason.TOKEN_NOT_FOUND);
  if (!(await revokeTokenOf(db, caller.userId === "" ? "anybody" : caller.userId, id))) {
    throw fail(Reason.TOKEN_NOT_FOUND);
  }
  return {};
}
