import { found, hasTokenForm } from "@cloud/contract";
import type { Sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AuthenticateResponse } from "@cloud/proto/identity/v1/auth_service_pb";
import { digestOf } from "../tokens/secret.ts";
import { selectIdentities } from "./identity-sql.ts";
import { identitiesToProto } from "./identity-to-proto.ts";

/**
 * Returns the user and memberships of each token, in the order of the tokens; undefined for an unknown or revoked token,
 * or a deleted user. Every call reads the tables, once: a revoked token or a removed role is refused by the next request
 * everywhere.
 */
export async function authenticateTokens(
  db: Sql,
  tokens: readonly string[],
): Promise<(AuthenticateResponse | undefined)[]> {
  const digests = tokens.map((token) => (hasTokenForm(token) ? digestOf(token) : undefined));
  const wanted = digests.filter((digest) => digest !== undefined);
  if (wanted.length === 0) return tokens.map(() => undefined);
  const identities = identitiesToProto(await selectIdentities(db, wanted));
  return digests.map((digest) => digest && identities.get(digest.toString("hex")));
}

/** Does the same for one token. @throws UNAUTHENTICATED where `authenticateTokens` returns undefined */
export async function authenticateToken(db: Sql, token: string): Promise<AuthenticateResponse> {
  const [identity] = await authenticateTokens(db, [token]);
  return found(identity, Reason.UNAUTHENTICATED);
}
