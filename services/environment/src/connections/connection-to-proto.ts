import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Connection, ConnectionSchema } from "@cloud/proto/environment/v1/records_pb";
import type { ConnectionRow } from "./connection-sql.ts";

/** Converts a row to its API message. */
export function connectionToProto(row: ConnectionRow): Connection {
  return create(ConnectionSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    kind: row.kind,
    type: row.type,
    status: row.status,
    credentialId: row.credential_id ?? "",
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
