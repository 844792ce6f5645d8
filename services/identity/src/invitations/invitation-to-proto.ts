import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Invitation, InvitationSchema } from "@cloud/proto/identity/v1/records_pb";
import type { InvitationRow } from "./invitation-sql.ts";

/** Converts a row to its API message. */
export function invitationToProto(row: InvitationRow): Invitation {
  return create(InvitationSchema, {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id ?? "",
    email: row.email,
    roleNames: row.role_names,
    invitedBy: row.invited_by ?? "",
    status: row.status,
    expiresAt: timestampToProto(row.expires_at),
    createdAt: timestampToProto(row.created_at),
    etag: row.etag,
  });
}
