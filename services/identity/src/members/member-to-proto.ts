import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Member, MemberSchema } from "@cloud/proto/identity/v1/records_pb";
import type { MemberRow } from "./member-sql.ts";

/** Converts a row to its API message. */
export function memberToProto(row: MemberRow): Member {
  return create(MemberSchema, {
    id: row.user_id,
    organizationId: row.organization_id,
    userId: row.user_id,
    roleNames: row.role_names,
    ...row.person,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
  });
}
