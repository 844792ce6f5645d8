import { fail, found, type InvitationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { assertHasTag } from "@cloud/service";
import { type InvitationEnd, type InvitationRow, selectInvitation, updatePendingInvitation } from "./invitation-sql.ts";

/**
 * Ends a pending invitation. Of several calls at once, one succeeds.
 *
 * @throws INVITATION_NOT_PENDING with the status that it has, INVITATION_NOT_FOUND if its organization was deleted,
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
  const current = found(await selectInvitation(tx, id), Reason.INVITATION_NOT_FOUND);
  assertHasTag(current, end.tags ?? null);
  throw fail(Reason.INVITATION_NOT_PENDING, { status: current.status });
}
