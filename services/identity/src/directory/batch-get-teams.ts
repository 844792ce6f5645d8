import { type Caller, parseIds, type TeamId } from "@cloud/contract";
import type { BatchGetTeamsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectTeamsById } from "../teams/team-sql.ts";
import { teamToProto } from "../teams/team-to-proto.ts";

/** Returns the live teams among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetTeams(context: Context, _caller: Caller, request: BatchGetTeamsRequest) {
  const rows = await selectTeamsById(context.db, parseIds<TeamId>(request.ids));
  return { teams: rows.map(teamToProto) };
}
