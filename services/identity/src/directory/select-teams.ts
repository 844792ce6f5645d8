import { type Caller, parseSelectionParameters, type TeamId } from "@cloud/contract";
import { type SelectTeamsRequest, SelectTeamsResponseSchema } from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectTeamsAmong, teamColumns } from "../teams/team-sql.ts";

const encode = pageEncoder(SelectTeamsResponseSchema, teamColumns);

/** Returns a page of the organization's live teams among the ids, or of the others, for a workspace's lists. */
export async function selectTeams(context: Context, _caller: Caller, request: SelectTeamsRequest) {
  const selection = parseSelectionParameters<TeamId>(request);
  return encode(selection.query, await selectTeamsAmong(context.db, selection));
}
