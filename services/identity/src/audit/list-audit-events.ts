import { type Caller, formatCursor, type OrganizationId, parseCursor, parseId, parsePageSize } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListAuditEventsRequest } from "@cloud/proto/identity/v1/audit_service_pb";
import type { Context } from "../context.ts";
import { type AuditEventRow, selectAuditEvents } from "./audit-event-sql.ts";
import { auditEventToProto } from "./audit-event-to-proto.ts";

/** Lists the audit log of the organization that the request names, or of the whole system. */
export async function listAuditEvents(context: Context, caller: Caller, request: ListAuditEventsRequest) {
  const cursor = parseCursor(request.cursor);
  const pageSize = parsePageSize(request.pageSize);
  const scope = await requireScope(caller, request.organizationId);
  // One more than the page, to know whether there is a next one.
  const rows = await selectAuditEvents(context.db, scope, cursor, pageSize + 1);
  const page = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  return { events: page.map(auditEventToProto), nextCursor: last === undefined ? "" : cursorOf(last) };
}

async function requireScope(caller: Caller, id: string): Promise<"all" | OrganizationId> {
  if (id === "") {
    caller.requireEverywhere();
    return "all";
  }
  const organizationId = parseId<OrganizationId>(id, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);
  return organizationId;
}

const cursorOf = ({ created_at: createdAt, id }: AuditEventRow) => formatCursor({ createdAt, id });
