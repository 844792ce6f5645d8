import type { Caller } from "@cloud/access";
import { orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RevokeTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { TokenId } from "../ids.ts";
import { selectTokenForUpdate, updateTokenRevoked } from "./sql.ts";

/** Revokes a token. Idempotent. The very next request with it is refused: tokens are cached nowhere. */
export async function revokeToken(context: Context, caller: Caller, request: RevokeTokenRequest) {
  const tags = requiredTags(context, request);
  const id = parseId<TokenId>(request.id || request.tokenId, Reason.TOKEN_NOT_FOUND);
  await context.db.transaction(async (tx) => {
    const owner = caller.userId === "" ? "anyUser" : caller.userId;
    const token = orThrow(await selectTokenForUpdate(tx, owner, id), Reason.TOKEN_NOT_FOUND);
    assertHasTag(token, tags);
    if (token.revoked_at !== null) {
      return;
    }
    await updateTokenRevoked(tx, id);
    const metadata = { userId: token.user_id, name: token.name };
    recordAuditEvent(tx, context, caller, { action: "token.revoked", target: id, metadata });
  });
  return {};
}
