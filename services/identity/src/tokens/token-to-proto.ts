import { create } from "@bufbuild/protobuf";
import { type Token, TokenSchema } from "@cloud/proto/identity/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { TokenRow } from "./tokens-sql.ts";

/** A row as the API tells it, which is never with its secret. */
export function tokenToProto(row: TokenRow): Token {
  return create(TokenSchema, {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    hint: row.hint,
    createdAt: timestampToProto(row.created_at),
    revokedAt: timestampToProto(row.revoked_at),
  });
}
