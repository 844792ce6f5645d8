import { fail, found, type InvitationId, type UserId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type InvitationRow, selectInvitation, updatePendingInvitation } from "./invitation-sql.ts";

/**
 * Ends a pending invitation; `userId` is who accepted it. Of several calls at once, one succeeds.
 *
 * @throws INVITATION_NOT_PENDING with the status that it has, INVITATION_NOT_FOUND if its organization was deleted.
 */
export async function endInvitation(
  tx: Tx,
  id: InvitationId,
  status: "accepted" | "declined" | "revoked",
  userId?: UserId,
): Promise<InvitationRow> {
  const ended = await updatePendingInvitation(tx, id, status, userId);
  if (ended !== undefined) {
    return ended;
  }
  const current = found(await selectInvitation(tx, id), Reason.INVITATION_NOT_FOUND);
  throw fail(Reason.INVITATION_NOT_PENDING, { status: current.status });
}
