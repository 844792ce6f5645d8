import type { BatchGetTeamsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { IdentityContext } from "../context.ts";
import { teamToProto } from "../teams/team-to-proto.ts";
import { selectLiveTeams } from "../teams/teams-sql.ts";
import { parseIds } from "./parse-ids.ts";

export async function batchGetTeams({ db }: IdentityContext, request: BatchGetTeamsRequest) {
  const rows = await selectLiveTeams(db, parseIds(request.ids));
  return { teams: rows.map(teamToProto) };
}
