import { create } from "@bufbuild/protobuf";
import { type User, UserSchema } from "@cloud/proto/identity/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { UserRow } from "./users-sql.ts";

/** A row as the API tells it. */
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
  });
}
