import { type Caller, newId, parseTextParameter, type TokenId } from "@cloud/contract";
import type { CreateTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { requireNamedUser } from "../users/resolve-owner.ts";
import { createSecret } from "./secret.ts";
import { insertToken } from "./token-sql.ts";
import { tokenToProto } from "./token-to-proto.ts";

/** Creates a token. Its reply is the only one that ever contains the secret. */
export async function createToken(context: Context, caller: Caller, request: CreateTokenRequest) {
  const name = parseTextParameter("name", request.name);
  const userId = await requireNamedUser(context, caller, request.userId);
  const { secret, digest, hint } = createSecret();
  const row = await context.db.withTransaction(async (tx) => {
    const inserted = await insertToken(tx, { id: newId<TokenId>(), userId, name, digest, hint });
    await recordAuditEvent(tx, context, caller, {
      action: "token.created",
      target: inserted.id,
      metadata: { userId, name },
    });
    return inserted;
  });
  return { token: tokenToProto(row), secret };
}
