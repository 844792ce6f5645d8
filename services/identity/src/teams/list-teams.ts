import type { ListTeamsRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { type Caller, parseListParameters, requireListScope } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { teamToProto } from "./team-to-proto.ts";
import { selectTeamPage } from "./teams-sql.ts";

export async function listTeams({ db }: IdentityContext, request: ListTeamsRequest, caller: Caller) {
  const list = parseListParameters(request);
  const scope = await requireListScope(caller, request.orgId);
  const { totalCount, rows } = await selectTeamPage(db, scope, list);
  return { page: list.page, pageSize: list.pageSize, totalCount, teams: rows.map(teamToProto) };
}
