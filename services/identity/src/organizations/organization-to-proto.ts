import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Organization, OrganizationSchema } from "@cloud/proto/identity/v1/records_pb";
import type { OrganizationRow } from "./organization-sql.ts";

/** Converts a row to its API message. */
export function organizationToProto(row: OrganizationRow): Organization {
  return create(OrganizationSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    owner: row.owner ?? "",
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
