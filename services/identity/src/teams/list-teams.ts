import { type Caller, parseListParameters } from "@cloud/contract";
import type { ListTeamsRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { selectTeamsOf } from "./team-sql.ts";
import { teamToProto } from "./team-to-proto.ts";

export async function listTeams(context: Context, caller: Caller, request: ListTeamsRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const { rows, ...total } = await selectTeamsOf(context.db, scope, query);
  return { page: query.page, pageSize: query.pageSize, ...total, teams: rows.map(teamToProto) };
}
