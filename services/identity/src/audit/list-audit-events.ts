import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import { type OrganizationId, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListAuditEventsRequest } from "@cloud/proto/identity/v1/audit_service_pb";
import { parseLogPosition, readLog } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { auditEventToProto } from "../to-proto.ts";
import { type AuditEventRow, selectAuditEvents, selectNextAuditEvents } from "./sql.ts";

/** Lists the audit log of the organization that the request names, or of the whole system. */
export async function listAuditEvents(context: Context, caller: Caller, request: ListAuditEventsRequest) {
  const { order, pageSize } = parseListParameters({ ...request, search: "", page: 0n });
  const position = parseLogPosition(request.cursor, order.direction);
  const scope = await requireScope(caller, request.organizationId);
  const { rows, nextCursor } = await readLog<AuditEventRow>(position, pageSize, {
    newestFirst: (cursor, limit) => selectAuditEvents(context.db, scope, cursor, limit),
    oldestFirst: (cursor, limit) => selectNextAuditEvents(context.db, scope, cursor, limit),
  });
  return { events: rows.map(auditEventToProto), nextCursor };
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
