import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type User, UserSchema } from "@cloud/proto/identity/v1/records_pb";
import type { UserRow } from "./user-sql.ts";

/** Converts a row to its API message. */
export function userToProto(row: UserRow): User {
  return create(UserSchema, {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    avatarUrl: row.avatar_url,
    status: row.status,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
