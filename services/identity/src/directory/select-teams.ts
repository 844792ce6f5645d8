import { type Caller, parseSelectionParameters, type TeamId } from "@cloud/contract";
import type { SelectTeamsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectTeamsAmong } from "../teams/team-sql.ts";
import { teamToProto } from "../teams/team-to-proto.ts";

/** Returns a page of the organization's live teams among the ids, or of the others, for a workspace's lists. */
export async function selectTeams(context: Context, _caller: Caller, request: SelectTeamsRequest) {
  const selection = parseSelectionParameters<TeamId>(request);
  const { page, pageSize } = selection.query;
  const { rows, ...total } = await selectTeamsAmong(context.db, selection);
  return { page, pageSize, ...total, teams: rows.map(teamToProto) };
}
