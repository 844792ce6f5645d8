import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveTeamMemberRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { type Caller, fail, parseId, type UserId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findTeamToManage } from "./find-team.ts";
import { deleteTeamMember } from "./team-members-sql.ts";

export async function removeTeamMember({ db }: IdentityContext, request: RemoveTeamMemberRequest, caller: Caller) {
  const { id } = await findTeamToManage(db, caller, request.id);
  const user = parseId<UserId>(request.userId, Reason.TEAM_MEMBER_NOT_FOUND);
  if (!(await deleteTeamMember(db, id, user))) {
    throw fail(Reason.TEAM_MEMBER_NOT_FOUND);
  }
  return {};
}
