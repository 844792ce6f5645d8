import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AcceptInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import type { Context } from "../context.ts";
import { selectAdminRoles } from "../memberships/sql.ts";
import { selectOrganizationForUpdate } from "../organizations/sql.ts";
import { invitationToProto } from "../to-proto.ts";
import { admitInvited } from "./add-member.ts";
import { endInvitation, revokeOthers } from "./end-invitation.ts";
import { requireOwnInvitation } from "./get-invitation.ts";
import { assertInviterMayGive } from "./rules.ts";
import type { InvitationRow } from "./sql.ts";

/** Makes the caller a member with the roles of their invitation, and revokes their other ones to the organization. */
export async function acceptInvitation(context: Context, caller: Caller, request: AcceptInvitationRequest) {
  const { userId, invitation } = await requireOwnInvitation(context, caller, request.id);
  const { id, organization_id: organizationId } = invitation;
  const row = await context.db.transaction(async (tx) => {
    // 1. against every change of the organization's members, and its deletion
    orThrow(await selectOrganizationForUpdate(tx, organizationId), Reason.INVITATION_NOT_FOUND);
    // 2. against other changes of the invitation
    const accepted = await endInvitation(tx, id, "accepted", { userId });
    await requireInviter(tx, accepted);
    // 3. the membership; a member has no pending invitation
    await admitInvited(tx, context, caller, { invitation: accepted, userId });
    await revokeOthers(tx, context, caller, { organizationId, userId });
    return accepted;
  });
  return { invitation: invitationToProto(row) };
}

async function requireInviter(tx: Tx, { organization_id, invited_by, role_names }: InvitationRow): Promise<void> {
  const inviter = invited_by === null ? "service" : await selectAdminRoles(tx, organization_id, invited_by);
  assertInviterMayGive(role_names, inviter);
}
