import { type Caller, fail } from "@cloud/contract";
import { appendEvent } from "@cloud/messaging";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { DeleteTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { requireTeam } from "./require-team.ts";
import { softDeleteTeam } from "./team-sql.ts";

/** Deletes a team and publishes the event on which the workspace service unlinks it. */
export async function deleteTeam(context: Context, caller: Caller, request: DeleteTeamRequest) {
  const { id, organization_id: organizationId } = await requireTeam(context, caller, request.id);
  await context.db.withTransaction(async (tx) => {
    if (!(await softDeleteTeam(tx, id))) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
    appendEvent(tx, TeamDeletedSchema, { teamId: id, organizationId, actor: caller.userId });
  });
  return {};
}
