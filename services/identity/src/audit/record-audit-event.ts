import type { JsonObject } from "@bufbuild/protobuf";
import type { Caller } from "@cloud/access";
import { type AuditEventId, newId, type OrganizationId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import type { RefusedCallers } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { insertAuditEvents } from "./sql.ts";

/** What the audit log contains, besides refused callers. */
export type AuditAction =
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
  /** Absent for what concerns no organization. */
  readonly organizationId?: OrganizationId;
  /** Never a secret. Values of requests have their limits already, so that all of them fit in 4 KiB. */
  readonly metadata?: JsonObject;
}

/** Who does something: a user, or a service, the operator included. */
export type Actor = Pick<Caller, "userId" | "serviceName">;

/** The context and the actor of what the service does without a request. */
export const NO_REQUEST = { requestId: "" };
export const THIS_SERVICE: Actor = { userId: "", serviceName: "identity" };

/** Appends an entry in the transaction of the change: there is no change without its entry, and no entry without it. */
export async function recordAuditEvent(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> {
  await recordAuditEvents(tx, context, actor, [entry]);
}

/** Does the same for several changes, by one statement. */
export async function recordAuditEvents(
  tx: Tx,
  { requestId }: Pick<Context, "requestId">,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
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
  await insertAuditEvents(tx, events);
}

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
