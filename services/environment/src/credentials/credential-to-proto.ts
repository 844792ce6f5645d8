import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Credential, CredentialSchema } from "@cloud/proto/environment/v1/records_pb";
import type { CredentialRow } from "./credential-sql.ts";

/** Converts a row to its API message. */
export function credentialToProto(row: CredentialRow): Credential {
  return create(CredentialSchema, {
    id: row.id,
    name: row.name,
    organizationId: row.organization_id,
    owner: row.owner,
    type: row.type,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
