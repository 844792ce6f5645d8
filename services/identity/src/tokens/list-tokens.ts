import { type Caller, ownerFor } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { parseListParameters } from "@cloud/access/lists";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListTokensRequest } from "@cloud/proto/identity/v1/token_service_pb";
import type { Context } from "../context.ts";
import { tokenToProto } from "../to-proto.ts";
import { selectTokensOf } from "./sql.ts";

/** Lists the tokens of the calling user, or of the user that a service must name. */
export async function listTokens(context: Context, caller: Caller, request: ListTokensRequest) {
  const query = parseListParameters(request);
  const userId = ownerFor(caller, request.userId);
  if (userId === "") {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "user_id", accepts: "the id of a user" });
  }
  const { rows, ...total } = await selectTokensOf(context.db, userId, query);
  return { page: query.page, pageSize: query.pageSize, ...total, tokens: rows.map(tokenToProto) };
}
