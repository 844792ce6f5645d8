import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { type Caller, fail, parseTextParameter } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findTeamToManage } from "./find-team.ts";
import { teamToProto } from "./team-to-proto.ts";
import { updateTeamTexts } from "./teams-sql.ts";

/** Changes the fields that are sent; none sent changes nothing, not even the time of the last change. */
export async function updateTeam({ db }: IdentityContext, request: UpdateTeamRequest, caller: Caller) {
  const name = request.name === undefined ? null : parseTextParameter("name", request.name);
  const description = request.description === undefined ? null : parseTextParameter("description", request.description);
  const stored = await findTeamToManage(db, caller, request.id);
  const isEmpty = name === null && description === null;
  const row = isEmpty ? stored : await updateTeamTexts(db, stored.id, { name, description });
  if (row === undefined) {
    throw fail(Reason.TEAM_NOT_FOUND);
  }
  return { team: teamToProto(row) };
}
