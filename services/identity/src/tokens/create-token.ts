import type { CreateTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { type Caller, newId, parseTextParameter, type TokenId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findNamedUser } from "../users/find-owner.ts";
import { createSecret } from "./secret.ts";
import { tokenToProto } from "./token-to-proto.ts";
import { insertToken } from "./tokens-sql.ts";

/** The only answer that ever holds the secret. */
export async function createToken({ db }: IdentityContext, request: CreateTokenRequest, caller: Caller) {
  const name = parseTextParameter("name", request.name);
  const user = await findNamedUser(db, caller, request.userId);
  const { secret, digest, hint } = createSecret();
  const row = await insertToken(db, { id: newId<TokenId>(), user, name, digest, hint });
  return { token: tokenToProto(row), secret };
}
