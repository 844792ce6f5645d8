import type { JsonObject } from "@bufbuild/protobuf";
import { type AuditEventId, type Caller, newId, type OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import type { Context } from "../context.ts";
import { insertAuditEvent } from "./audit-event-sql.ts";

/** What the audit log contains, besides refused callers. */
export type AuditAction =
  | "user.created"
  | "token.created"
  | "token.revoked"
  | "organization.created"
  | "organization.deleted"
  | "member.added"
  | "member.roles_changed"
  | "member.removed"
  | "invitation.created"
  | "invitation.accepted"
  | "invitation.declined"
  | "invitation.revoked"
  | "invitation.expired";

export interface AuditEntry {
  readonly action: AuditAction;
  /** The id of the user, token, organization or invitation. */
  readonly target: string;
  /** Absent for what concerns no organization. */
  readonly organizationId?: OrganizationId;
  /** Never a secret. Values of requests have their limits already, so that all of them fit in 4 KiB. */
  readonly metadata?: JsonObject;
}

/** Appends an entry in the transaction of the change: there is no change without its entry, and no entry without it. */
export async function recordAuditEvent(
  tx: Tx,
  { requestId }: Pick<Context, "requestId">,
  caller: Pick<Caller, "userId" | "serviceName">,
  { action, target, organizationId, metadata = {} }: AuditEntry,
): Promise<void> {
  await insertAuditEvent(tx, {
    id: newId<AuditEventId>(),
    actor: caller.userId === "" ? "service:" + caller.serviceName : caller.userId,
    action,
    target,
    organizationId: organizationId ?? null,
    metadata,
    requestId,
  });
}
