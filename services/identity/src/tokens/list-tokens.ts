import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListTokensRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { type Caller, fail, ownerFor, parseListParameters } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { tokenToProto } from "./token-to-proto.ts";
import { selectTokenPage } from "./tokens-sql.ts";

export async function listTokens({ db }: IdentityContext, request: ListTokensRequest, caller: Caller) {
  const list = parseListParameters(request);
  const user = ownerFor(caller, request.userId);
  if (user === "") {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "userId", accepts: "the id of a user" });
  }
  const { totalCount, rows } = await selectTokenPage(db, user, list);
  return { page: list.page, pageSize: list.pageSize, totalCount, tokens: rows.map(tokenToProto) };
}
