import { fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { lockLiveReferenceForShare } from "../links/reference-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertTeamAssignable } from "./assignment-rules.ts";

/** Teams are owned by identity. */
export const teams: AssignmentKind = {
  name: "team",
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
