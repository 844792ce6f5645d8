import type { JsonObject } from "@bufbuild/protobuf";
import type { Caller } from "@cloud/access";
import { newId, type OrganizationId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import type { RefusedCallers } from "@cloud/rpc";
import type { Context } from "../context.ts";
import type { AuditEventId } from "../ids.ts";
import { insertAuditEvents } from "./sql.ts";

/** The actions that the audit log contains, besides refused callers. */
type AuditAction =
  | "user.created"
  | "token.created"
  | "token.revoked"
  | "organization.created"
  | "organization.updated"
  | "organization.deleted"
  | "member.added"
  | "member.roles_changed"
  | "member.removed"
  | "team.created"
  | "team.updated"
  | "team.deleted"
  | "team_member.added"
  | "team_member.removed"
  | "curriculum.created"
  | "registration.created"
  | "invitation.created"
  | "invitation.accepted"
  | "invitation.declined"
  | "invitation.revoked"
  | "invitation.expired";

export interface AuditEntry {
  readonly action: AuditAction;
  /** The id of the user, token, organization, team, curriculum or invitation. */
  readonly target: string;
  /** Absent for an action that concerns no organization. */
  readonly organizationId?: OrganizationId;
  /**
   * Details of the action, never a secret. Values of requests have their limits already, so all of them fit in 4 KiB.
   */
  readonly metadata?: JsonObject;
}

/** The user or the service that acts; the operator counts as a service. */
export type Actor = Pick<Caller, "userId" | "serviceName">;

/** The context and the actor of actions of the service itself, without a request. */
export const NO_REQUEST = { requestId: "" };
export const THIS_SERVICE: Actor = { userId: "", serviceName: "identity" };

/** Appends an entry in the transaction of its change, so that neither exists without the other. */
export function recordAuditEvent(tx: Tx, context: Pick<Context, "requestId">, actor: Actor, entry: AuditEntry): void {
  recordAuditEvents(tx, context, actor, [entry]);
}

/** Appends the entries of several changes by one statement. */
export function recordAuditEvents(
  tx: Tx,
  { requestId }: Pick<Context, "requestId">,
  actor: Actor,
  entries: readonly AuditEntry[],
): void {
  if (entries.length === 0) {
    return;
  }
  const events = entries.map(({ action, target, organizationId, metadata = {} }) => ({
    id: newId<AuditEventId>(),
    actor: actor.userId === "" ? "service:" + actor.serviceName : actor.userId,
    action,
    target,
    organizationId: organizationId ?? null,
    metadata,
    requestId,
  }));
  insertAuditEvents(tx, events);
}

/**
 * Appends one entry for refused callers: callers of this service, and users' tokens that the other services present
 * here. Who they are is unknown, and the refused credential is not kept.
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
