import type { Caller } from "@cloud/access";
import { newId, parseTextParameter, type UserId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import type { CreateTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { createOnce } from "@cloud/service";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { TokenId } from "../ids.ts";
import { tokenToProto } from "../to-proto.ts";
import { requireNamedUser } from "../users/resolve-owner.ts";
import { createSecret, type Secret } from "./secret.ts";
import { insertToken, type TokenRow } from "./sql.ts";

/** Creates a token. Only the reply, and a replay of it, ever contain the secret. */
export async function createToken(context: Context, caller: Caller, request: CreateTokenRequest) {
  const name = parseTextParameter("name", request.name);
  const userId = await requireNamedUser(context, caller, request.userId);
  const secret = createSecret();
  return await createOnce(context, async (tx) => {
    const row = await addToken(tx, context, caller, { userId, name, secret });
    return { token: tokenToProto(row), secret: secret.secret };
  });
}

interface TokenToAdd {
  readonly userId: UserId;
  readonly name: string;
  readonly secret: Secret;
}

/** Inserts a token and records that. Only the digest of the secret is stored. */
export async function addToken(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  { userId, name, secret: { digest, hint } }: TokenToAdd,
): Promise<TokenRow> {
  const row = await insertToken(tx, { id: newId<TokenId>(), userId, name, digest, hint });
  const metadata = { userId, name };
  recordAuditEvent(tx, context, actor, { action: "token.created", target: row.id, metadata });
  return row;
}
