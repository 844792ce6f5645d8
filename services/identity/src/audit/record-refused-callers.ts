import { type AuditEventId, newId } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import type { RefusedCallers } from "@cloud/rpc";
import { insertAuditEvents } from "./audit-event-sql.ts";

/**
 * Appends one entry for refused callers: those of this service, and the users' tokens that the other services present
 * here. Who they are is unknown, and what they presented is not kept.
 */
export async function recordRefusedCallers(db: Database, refused: RefusedCallers): Promise<void> {
  const { kind, count, method: target, requestId } = refused;
  const event = {
    id: newId<AuditEventId>(),
    actor: "",
    action: kind === "token" ? "token.refused" : "service_credential.refused",
    target,
    organizationId: null,
    metadata: { count },
    requestId,
  };
  await db.transaction((tx) => insertAuditEvents(tx, [event]));
}
