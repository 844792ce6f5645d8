import { type Caller, found, parseTextParameter } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { requireTeam } from "./require-team.ts";
import { updateTeamFields } from "./team-sql.ts";
import { teamToProto } from "./team-to-proto.ts";

/** Updates the fields that are sent; a request without any changes nothing, not even the time of the last update. */
export async function updateTeam(context: Context, caller: Caller, request: UpdateTeamRequest) {
  const { name, description } = request;
  const changes = {
    name: name === undefined ? undefined : parseTextParameter("name", name),
    description: description === undefined ? undefined : parseTextParameter("description", description),
  };
  const team = await requireTeam(context, caller, request.id);
  const isEmpty = name === undefined && description === undefined;
  const row = isEmpty ? team : await updateTeamFields(context.db, team.id, changes);
  return { team: teamToProto(found(row, Reason.TEAM_NOT_FOUND)) };
}
