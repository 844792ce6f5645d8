import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveTeamMemberRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { teamMemberEntry } from "../memberships/role-changes.ts";
import { requireTeam } from "./get-team.ts";
import { deleteTeamMember } from "./member-sql.ts";

/** Removes a user from a team. @throws TEAM_MEMBER_NOT_FOUND, for a malformed user id too. */
export async function removeTeamMember(context: Context, caller: Caller, request: RemoveTeamMemberRequest) {
  const { id, organization_id: organizationId } = await requireTeam(context, caller, request);
  const userId = parseId<UserId>(request.userId, Reason.TEAM_MEMBER_NOT_FOUND);
  await context.db.transaction(async (tx) => {
    if (!(await deleteTeamMember(tx, id, userId))) {
      throw fail(Reason.TEAM_MEMBER_NOT_FOUND);
    }
    recordAuditEvent(tx, context, caller, teamMemberEntry("removed", organizationId, id, userId));
  });
  return {};
}
