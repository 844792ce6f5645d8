import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type AuditEvent, AuditEventSchema } from "@cloud/proto/identity/v1/records_pb";
import type { AuditEventRow } from "./audit-event-sql.ts";

/** Converts a row to its API message. */
export function auditEventToProto(row: AuditEventRow): AuditEvent {
  return create(AuditEventSchema, {
    id: row.id,
    actor: row.actor,
    action: row.action,
    target: row.target,
    organizationId: row.organization_id ?? "",
    metadata: row.metadata,
    requestId: row.request_id,
    createdAt: timestampToProto(row.created_at),
  });
}
