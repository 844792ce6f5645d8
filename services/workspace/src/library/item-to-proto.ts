import { timestampToProto } from "@cloud/contract";
import type { ItemRow } from "./item-sql.ts";

/** Converts a design or a view: the two messages have the same fields. */
export function itemToProto(row: ItemRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    visibility: row.visibility,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    etag: row.etag,
    ...(row.deleted_at === null ? {} : { deletedAt: timestampToProto(row.deleted_at) }),
  };
}
