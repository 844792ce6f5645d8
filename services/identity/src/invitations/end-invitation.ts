import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type OrganizationId, orThrow, type UserId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { assertHasTag } from "@cloud/service/records";
import type { PeriodicJob } from "@cloud/service/references";
import { type AuditEntry, NO_REQUEST, recordAuditEvent, THIS_SERVICE } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { InvitationId } from "../ids.ts";
import {
  type InvitationEnd,
  type InvitationRow,
  revokeInvitationsOf,
  selectInvitation,
  updateExpiredInvitations,
  updateExpiredInvitationsOf,
  updatePendingInvitation,
} from "./sql.ts";

/**
 * Ends a pending invitation. One of several concurrent calls succeeds.
 *
 * @throws INVITATION_NOT_PENDING with its current status, INVITATION_NOT_FOUND if its organization was deleted,
 * PRECONDITION_FAILED.
 */
export async function endInvitation(
  tx: Tx,
  id: InvitationId,
  status: "accepted" | "declined" | "revoked",
  end: InvitationEnd = {},
): Promise<InvitationRow> {
  const ended = await updatePendingInvitation(tx, id, status, end);
  if (ended !== undefined) {
    return ended;
  }
  const current = orThrow(await selectInvitation(tx, id), Reason.INVITATION_NOT_FOUND);
  assertHasTag(current, end.tags ?? null);
  throw fail(Reason.INVITATION_NOT_PENDING, { status: current.status });
}

/**
 * Revokes the pending invitations of a user who becomes a member of the organization. A remaining invitation would make
 * them a member again after their removal.
 */
export async function revokeOthers(
  tx: Tx,
  context: Context,
  caller: Caller,
  { organizationId, userId }: { readonly organizationId: OrganizationId; readonly userId: UserId },
): Promise<void> {
  for (const row of await revokeInvitationsOf(tx, organizationId, userId)) {
    recordAuditEvent(tx, context, caller, invitationEntry("invitation.revoked", row));
  }
}

/**
 * Expires the pending invitations that are past their time, and appends an entry for each. Replicas may run it
 * concurrently: each takes different ones. Returns the number of expired invitations.
 */
export async function expireInvitations(db: Pick<Database, "transaction">): Promise<number> {
  let total = 0;
  for (;;) {
    const expired = await db.transaction(async (tx) =>
      recordExpired(tx, await updateExpiredInvitations(tx, BATCH_SIZE)),
    );
    total += expired;
    if (expired < BATCH_SIZE) return total;
  }
}

/** Invitations of a transaction, which holds their locks; each is an entry of the audit log, too. */
const BATCH_SIZE = 100;

/** Expires the pending invitations of one organization, in a transaction that holds its lock. */
export async function expireInvitationsOf(tx: Tx, organizationId: OrganizationId): Promise<void> {
  recordExpired(tx, await updateExpiredInvitationsOf(tx, organizationId));
}

/** Returns the pass that repeats `expireInvitations`. */
export function createExpiryJob(db: Pick<Database, "transaction">): PeriodicJob {
  return { name: "expired-invitations", run: async () => void (await expireInvitations(db)) };
}

function recordExpired(tx: Tx, rows: readonly InvitationRow[]): number {
  for (const row of rows) {
    recordAuditEvent(tx, NO_REQUEST, THIS_SERVICE, invitationEntry("invitation.expired", row));
  }
  return rows.length;
}

/** Returns the audit entry of a change of an invitation. */
export function invitationEntry(
  action: `invitation.${"created" | "accepted" | "declined" | "revoked" | "expired"}`,
  row: InvitationRow,
): AuditEntry {
  const invitee = row.email === "" ? { userId: row.user_id } : { email: row.email };
  const metadata = { ...invitee, roleNames: row.role_names };
  return { action, target: row.id, organizationId: row.organization_id, metadata };
}
