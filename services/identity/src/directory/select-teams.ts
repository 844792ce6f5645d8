import { type Caller, packIds, parseSelectionParameters } from "@cloud/contract";
import { type SelectTeamsRequest, SelectTeamsResponseSchema } from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectTeamsAmong, teamColumns } from "../teams/team-sql.ts";

const encode = pageEncoder(SelectTeamsResponseSchema, teamColumns);

/** Does the same as `selectTeamsAmong`, for a workspace service of the release before. */
export async function selectTeams(context: Context, _caller: Caller, request: SelectTeamsRequest) {
  const selection = parseSelectionParameters({ ...request, ids: packIds(request.ids) });
  return encode(selection.query, await selectTeamsAmong(context.db, selection));
}
