import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AddTeamMemberRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { viewerOf } from "../members/list-members.ts";
import { teamMemberEntry } from "../memberships/role-changes.ts";
import { selectRoleNames } from "../memberships/sql.ts";
import { selectOrganizationForShare } from "../organizations/sql.ts";
import { teamMemberToProto } from "../to-proto.ts";
import { requireTeam } from "./get-team.ts";
import { insertTeamMember, selectTeamMember } from "./member-sql.ts";
import { selectTeamForShare } from "./sql.ts";

/**
 * Adds a user who has a role in the team's organization. Idempotent. Share locks keep the role and the team until the
 * commit.
 */
export async function addTeamMember(context: Context, caller: Caller, request: AddTeamMemberRequest) {
  const { id, organization_id: organizationId } = await requireTeam(context, caller, request);
  const userId = parseId<UserId>(request.userId, Reason.USER_NOT_FOUND);
  const viewer = await viewerOf(context, caller, organizationId);
  return await context.db.transaction(async (tx) => {
    if (!(await selectOrganizationForShare(tx, organizationId)) || !(await selectTeamForShare(tx, id))) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
    if ((await selectRoleNames(tx, organizationId, userId)).length === 0) {
      throw fail(Reason.USER_NOT_FOUND);
    }
    if (await insertTeamMember(tx, id, userId)) {
      recordAuditEvent(tx, context, caller, teamMemberEntry("added", organizationId, id, userId));
    }
    return {
      teamMember: teamMemberToProto(orThrow(await selectTeamMember(tx, id, viewer, userId), Reason.TEAM_NOT_FOUND)),
    };
  });
}
