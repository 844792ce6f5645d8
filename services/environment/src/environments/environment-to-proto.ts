import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Environment, EnvironmentSchema } from "@cloud/proto/environment/v1/records_pb";
import type { EnvironmentRow } from "./environment-sql.ts";

/** Converts a row to its API message. */
export function environmentToProto(row: EnvironmentRow): Environment {
  return create(EnvironmentSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    platformProvisioned: row.platform_provisioned,
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
