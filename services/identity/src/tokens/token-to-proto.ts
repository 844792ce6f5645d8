import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Token, TokenSchema } from "@cloud/proto/identity/v1/records_pb";
import type { TokenRow } from "./token-sql.ts";

/** Converts a row to its API message; the secret is never included. */
export function tokenToProto(row: TokenRow): Token {
  return create(TokenSchema, {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    hint: row.hint,
    createdAt: timestampToProto(row.created_at),
    revokedAt: timestampToProto(row.revoked_at),
    etag: row.etag,
  });
}
