import { appendEvent } from "@cloud/messaging";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { DeleteTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { type Caller, fail } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findTeamToManage } from "./find-team.ts";
import { tombstoneTeam } from "./teams-sql.ts";

/** The workspace service hears of it by event and ends the team's links. */
export async function deleteTeam({ db }: IdentityContext, request: DeleteTeamRequest, caller: Caller) {
  const { id, organization_id: organizationId } = await findTeamToManage(db, caller, request.id);
  await db.withTransaction(async (tx) => {
    if (!(await tombstoneTeam(tx, id))) {
      throw fail(Reason.TEAM_NOT_FOUND);
    }
    await appendEvent(tx, TeamDeletedSchema, { teamId: id, organizationId, actor: caller.userId });
  });
  return {};
}
