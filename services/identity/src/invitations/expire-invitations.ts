import type { OrganizationId } from "@cloud/contract";
import type { Database, Tx } from "@cloud/postgres";
import type { RepeatedPass } from "@cloud/service";
import { NO_REQUEST, recordAuditEvent, THIS_SERVICE } from "../audit/record-audit-event.ts";
import { invitationEntry } from "./invitation-entry.ts";
import { type InvitationRow, updateExpiredInvitations, updateExpiredInvitationsOf } from "./invitation-sql.ts";

/** Invitations of one transaction, which holds their locks: each is an entry of the audit log, too. */
const AT_ONCE = 100;

/**
 * Expires the pending invitations that are past their time, and appends an entry for each. Replicas may run it concurrently:
 * each takes others. Returns how many it has expired.
 */
export async function expireInvitations(db: Pick<Database, "transaction">): Promise<number> {
  let total = 0;
  for (;;) {
    const expired = await db.transaction(
      async (tx) => await recordExpired(tx, await updateExpiredInvitations(tx, AT_ONCE)),
    );
    total += expired;
    if (expired < AT_ONCE) return total;
  }
}

/** Does the same for one organization, in a transaction that holds its lock. */
export async function expireInvitationsOf(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await recordExpired(tx, await updateExpiredInvitationsOf(tx, organizationId));
}

/** Repeats `expireInvitations`. */
export function createExpiryPass(db: Pick<Database, "transaction">): RepeatedPass {
  return { name: "expired-invitations", run: async () => void (await expireInvitations(db)) };
}

async function recordExpired(tx: Tx, rows: readonly InvitationRow[]): Promise<number> {
  for (const row of rows) {
    await recordAuditEvent(tx, NO_REQUEST, THIS_SERVICE, invitationEntry("invitation.expired", row));
  }
  return rows.length;
}
