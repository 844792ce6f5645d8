import type { Caller } from "@cloud/access";
import { parseNameChanges } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { assertHasTag, changedRow, requiredTags } from "@cloud/service/records";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { teamToProto } from "../to-proto.ts";
import { requireTeam } from "./get-team.ts";
import { updateTeamFields } from "./sql.ts";

/** Updates the fields that are sent. A request without fields changes nothing, not even the time of the last update. */
export async function updateTeam(context: Context, caller: Caller, request: UpdateTeamRequest) {
  const tags = requiredTags(context, request);
  const changes = parseNameChanges(request);
  const team = await requireTeam(context, caller, request);
  if (Object.keys(changes).length === 0) {
    assertHasTag(team, tags);
    return { team: teamToProto(team) };
  }
  return await context.db.transaction(async (tx) => {
    const row = changedRow(await updateTeamFields(tx, team.id, changes, tags), tags, Reason.TEAM_NOT_FOUND);
    const entry = { target: team.id, organizationId: team.organization_id, metadata: { ...changes } };
    recordAuditEvent(tx, context, caller, { action: "team.updated", ...entry });
    return { team: teamToProto(row) };
  });
}
