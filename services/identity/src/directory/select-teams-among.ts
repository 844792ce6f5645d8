import { type Caller, parseSelectionParameters } from "@cloud/contract";
import {
  type SelectTeamsAmongRequest,
  SelectTeamsAmongResponseSchema,
} from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectTeamsAmong as selectPageAmong, teamColumns } from "../teams/team-sql.ts";

const encode = pageEncoder(SelectTeamsAmongResponseSchema, teamColumns);

/** Returns a page of the organization's live teams among the ids, or of the others, for a workspace's lists. */
export async function selectTeamsAmong(context: Context, _caller: Caller, request: SelectTeamsAmongRequest) {
  const selection = parseSelectionParameters(request);
  return encode(selection.query, await selectPageAmong(context.db, selection));
}
