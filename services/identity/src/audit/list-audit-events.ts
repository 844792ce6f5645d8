import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import type { ListAuditEventsRequest } from "@cloud/proto/identity/v1/audit_service_pb";
import { parseLogPosition, readLog } from "@cloud/service/records";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { auditEventToProto } from "../to-proto.ts";
import { organizationLog, systemLog } from "./sql.ts";

/** Lists the audit log of the organization that the request names, or of the whole system. */
export async function listAuditEvents(context: Context, caller: Caller, request: ListAuditEventsRequest) {
  const { order, pageSize } = parseListParameters({ ...request, search: "", page: 0n });
  const position = parseLogPosition(request.cursor, order.direction);
  const scope = await requireScope(caller, request.organizationId);
  const log = scope === null ? systemLog : organizationLog;
  const { rows, nextCursor } = await readLog(context.db, log, scope, position, pageSize);
  return { events: rows.map(auditEventToProto), nextCursor };
}

/** Returns the organization; null for the whole system. */
async function requireScope(caller: Caller, id: string): Promise<OrganizationId | null> {
  if (id === "") {
    caller.requireEverywhere();
    return null;
  }
  return await requireNamedOrganization(caller, id);
}
