import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AddTeamMemberRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { type Caller, fail, parseId, type UserId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectRoleNames } from "../organizations/memberships-sql.ts";
import { selectOrganizationForShare } from "../organizations/organizations-sql.ts";
import { findTeamToManage } from "./find-team.ts";
import { insertTeamMember } from "./team-members-sql.ts";
import { teamMemberToProto } from "./team-to-proto.ts";
import { selectTeamForShare } from "./teams-sql.ts";

/** The user must have a role in the organization: the locks keep it while their place in the team is written. */
export async function addTeamMember({ db }: IdentityContext, request: AddTeamMemberRequest, caller: Caller) {
  const { id, organization_id: organization } = await findTeamToManage(db, caller, request.id);
  const user = parseId<UserId>(request.userId, Reason.USER_NOT_FOUND);
  return await db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForShare(tx, organization)) || !(await selectTeamForShare(tx, id))) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
    if ((await selectRoleNames(tx, organization, user)).length === 0) {
      throw fail(Reason.USER_NOT_FOUND);
    }
    return { teamMember: teamMemberToProto(await insertTeamMember(tx, id, user)) };
  });
}
