import { type Caller, parseTextParameter } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { assertHasTag, changedRow, requiredTags } from "@cloud/service";
import type { Context } from "../context.ts";
import { requireTeam } from "./require-team.ts";
import { updateTeamFields } from "./team-sql.ts";
import { teamToProto } from "./team-to-proto.ts";

/** Updates the fields that are sent; a request without any changes nothing, not even the time of the last update. */
export async function updateTeam(context: Context, caller: Caller, request: UpdateTeamRequest) {
  const { name, description } = request;
  const tags = requiredTags(context, request);
  const changes = {
    name: name === undefined ? undefined : parseTextParameter("name", name),
    description: description === undefined ? undefined : parseTextParameter("description", description),
  };
  const team = await requireTeam(context, caller, request);
  if (name === undefined && description === undefined) {
    assertHasTag(team, tags);
    return { team: teamToProto(team) };
  }
  const updated = await context.db.transaction((tx) => updateTeamFields(tx, team.id, changes, tags));
  return { team: teamToProto(changedRow(updated, tags, Reason.TEAM_NOT_FOUND)) };
}
