import { type Caller, parseTextParameter } from "@cloud/contract";
import type { CreateTokenRequest } from "@cloud/proto/identity/v1/token_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import { requireNamedUser } from "../users/resolve-owner.ts";
import { addToken } from "./add-token.ts";
import { createSecret } from "./secret.ts";
import { tokenToProto } from "./token-to-proto.ts";

/** Creates a token. Its reply, and a replay of that, are the only ones that ever contain the secret. */
export async function createToken(context: Context, caller: Caller, request: CreateTokenRequest) {
  const name = parseTextParameter("name", request.name);
  const userId = await requireNamedUser(context, caller, request.userId);
  const secret = createSecret();
  return await createOnce(context, async (tx) => {
    const row = await addToken(tx, context, caller, { userId, name, secret });
    return { token: tokenToProto(row), secret: secret.secret };
  });
}
