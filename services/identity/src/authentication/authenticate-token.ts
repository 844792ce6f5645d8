import { create } from "@bufbuild/protobuf";
import { fail, found, hasTokenForm } from "@cloud/contract";
import type { Sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type AuthenticateResponse, AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { digestOf } from "../tokens/secret.ts";
import { selectIdentity } from "./identity-sql.ts";

/**
 * Returns the user and memberships of a token. Every call reads the tables: a revoked token or a removed role is refused
 * by the next request everywhere.
 *
 * @throws UNAUTHENTICATED for an unknown or revoked token, or a deleted user.
 */
export async function authenticateToken(db: Sql, token: string): Promise<AuthenticateResponse> {
  if (!hasTokenForm(token)) throw fail(Reason.UNAUTHENTICATED);
  const row = found(await selectIdentity(db, digestOf(token)), Reason.UNAUTHENTICATED);
  return create(AuthenticateResponseSchema, {
    userId: row.user_id,
    tokenId: row.token_id,
    memberships: row.memberships,
    everywhere: row.everywhere,
  });
}
