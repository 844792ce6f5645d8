import { type Caller, fail, MAX_TOKENS } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AuthenticateResponse, BatchAuthenticateRequest } from "@cloud/proto/identity/v1/auth_service_pb";
import type { Context } from "../context.ts";
import { authenticateTokens } from "./authenticate-tokens.ts";

/** Authenticates the valid tokens among the given ones; omits all others. @throws INVALID_PARAMETER above 256 tokens. */
export async function batchAuthenticate(context: Context, _caller: Caller, request: BatchAuthenticateRequest) {
  if (request.tokens.length > MAX_TOKENS) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "tokens", accepts: "at most 256 tokens" });
  }
  const { identities, roles } = await authenticateTokens(context.db, request.tokens);
  const valid: Record<number, AuthenticateResponse> = {};
  for (const [position, identity] of identities.entries()) {
    if (identity !== undefined) {
      valid[position] = identity;
    }
  }
  const byName: Record<string, { permissions: string[] }> = {};
  for (const [role, permissions] of roles) {
    byName[role] = { permissions: [...permissions] };
  }
  return { identities: valid, roles: byName };
}
