import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertTeamAssignable } from "./assignment-rules.ts";
import { lockLiveReferenceForShare } from "./reference-sql.ts";

/** Teams are identity's. */
export const teams: AssignmentKind = {
  name: "team",
  assignPermission: Permission.ASSIGN_TEAM_TO_WORKSPACE,
  removePermission: Permission.REMOVE_TEAM_FROM_WORKSPACE,
  notFound: Reason.TEAM_NOT_FOUND,
  notAssigned: Reason.TEAM_ASSIGNMENT_NOT_FOUND,
  check: async (context, id, workspace) => {
    const [team] = (await context.identity.batchGetTeams({ ids: [id] })).teams;
    if (team === undefined) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
    assertTeamAssignable(team, workspace.organization_id);
  },
  claim: async (tx, id) => {
    if (!(await lockLiveReferenceForShare(tx, "team", id))) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
  },
};
