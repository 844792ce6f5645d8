import { newId, type TokenId, type UserId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { Secret } from "./secret.ts";
import { insertToken, type TokenRow } from "./token-sql.ts";

export interface TokenToAdd {
  readonly userId: UserId;
  readonly name: string;
  readonly secret: Secret;
}

/** Inserts a token and records that; of the secret only the digest is stored. */
export async function addToken(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  { userId, name, secret: { digest, hint } }: TokenToAdd,
): Promise<TokenRow> {
  const row = await insertToken(tx, { id: newId<TokenId>(), userId, name, digest, hint });
  const metadata = { userId, name };
  await recordAuditEvent(tx, context, actor, { action: "token.created", target: row.id, metadata });
  return row;
}
