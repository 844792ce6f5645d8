import type { Caller } from "@cloud/access";
import { appendEvent } from "@cloud/events";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { DeleteTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { changedRow, requiredTags } from "@cloud/service/records";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { requireTeam } from "./get-team.ts";
import { softDeleteTeam } from "./sql.ts";

/** Deletes a team and publishes the event on which the workspace service unlinks it. */
export async function deleteTeam(context: Context, caller: Caller, request: DeleteTeamRequest) {
  const tags = requiredTags(context, request);
  const { id, organization_id: organizationId } = await requireTeam(context, caller, request);
  await context.db.transaction(async (tx) => {
    changedRow(await softDeleteTeam(tx, id, tags), tags, Reason.TEAM_NOT_FOUND);
    recordAuditEvent(tx, context, caller, { action: "team.deleted", target: id, organizationId });
    appendEvent(tx, TeamDeletedSchema, { teamId: id, organizationId, actor: caller.userId });
  });
  return {};
}
