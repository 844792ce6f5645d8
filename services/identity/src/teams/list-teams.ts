import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import { type ListTeamsRequest, ListTeamsResponseSchema } from "@cloud/proto/identity/v1/team_service_pb";
import { pageEncoder } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { selectTeamsOf, teamColumns } from "./sql.ts";

const encode = pageEncoder(ListTeamsResponseSchema, teamColumns);

export async function listTeams(context: Context, caller: Caller, request: ListTeamsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  return encode(query, await selectTeamsOf(context.db, scope, query));
}
