import type { Caller } from "@cloud/access";
import { orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import type { Context } from "../context.ts";
import type { TokenId } from "../ids.ts";
import { tokenToProto } from "../to-proto.ts";
import { selectToken } from "./sql.ts";

/** Returns a token of the calling user, or of any user to a service; revoked ones too. */
export async function getToken(context: Context, caller: Caller, request: GetTokenRequest) {
  const id = parseId<TokenId>(request.id, Reason.TOKEN_NOT_FOUND);
  const owner = caller.userId === "" ? "anyUser" : caller.userId;
  return { token: tokenToProto(orThrow(await selectToken(context.db, owner, id), Reason.TOKEN_NOT_FOUND)) };
}
