import { create } from "@bufbuild/protobuf";
import { type Organization, OrganizationSchema } from "@cloud/proto/identity/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { OrganizationRow } from "./organizations-sql.ts";

/** A row as the API tells it. */
export function organizationToProto(row: OrganizationRow): Organization {
  return create(OrganizationSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    owner: row.owner ?? "",
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
  });
}
