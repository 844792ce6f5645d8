import { found, hasTokenForm, type RolePermissions, setPermissions } from "@cloud/contract";
import type { Reader } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AuthenticateResponse } from "@cloud/proto/identity/v1/auth_service_pb";
import { digestOf } from "../tokens/secret.ts";
import { selectIdentities } from "./identity-sql.ts";
import { identitiesToProto } from "./identity-to-proto.ts";

export interface AuthenticatedTokens {
  /** In the order of the tokens; undefined for an unknown or revoked token, or a deleted user. */
  readonly identities: readonly (AuthenticateResponse | undefined)[];
  /** The permissions of their roles, which their memberships do not contain. */
  readonly roles: RolePermissions;
}

/**
 * Returns the user of each token. Every call reads the tables, once: a revoked token or a removed role is refused by the
 * next request everywhere.
 */
export async function authenticateTokens(db: Reader, tokens: readonly string[]): Promise<AuthenticatedTokens> {
  const digests = tokens.map((token) => (hasTokenForm(token) ? digestOf(token) : undefined));
  const wanted = digests.filter((digest) => digest !== undefined);
  const { byDigest, roles } = identitiesToProto(wanted.length === 0 ? [] : await selectIdentities(db, wanted));
  return { identities: digests.map((digest) => digest && byDigest.get(digest.toString("hex"))), roles };
}

/**
 * Returns the user of a token with the permissions in each organization. @throws UNAUTHENTICATED for an unknown or
 * revoked token, or a deleted user.
 */
export async function authenticateToken(db: Reader, token: string): Promise<AuthenticateResponse> {
  const { identities, roles } = await authenticateTokens(db, [token]);
  const identity = found(identities[0], Reason.UNAUTHENTICATED);
  setPermissions([identity], roles);
  return identity;
}
