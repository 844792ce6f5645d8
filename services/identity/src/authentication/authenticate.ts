import { create } from "@bufbuild/protobuf";
import type { Sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type AuthenticateResponse, AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { fail } from "@cloud/rpc";
import { digestOf } from "../tokens/secret.ts";
import { selectIdentity } from "./identities-sql.ts";

/**
 * Who stands behind a token: asked by this service's own interceptor and, through AuthService, by the others'. Every
 * call asks the table: a revoked token or a removed role is refused by the next request everywhere.
 *
 * @throws UNAUTHENTICATED.
 */
export async function authenticate(sql: Sql, token: string): Promise<AuthenticateResponse> {
  const row = await selectIdentity(sql, digestOf(token));
  if (row === undefined) {
    throw fail(Reason.UNAUTHENTICATED);
  }
  return create(AuthenticateResponseSchema, {
    userId: row.user_id,
    tokenId: row.token_id,
    memberships: row.memberships,
    everywhere: row.everywhere,
  });
}
