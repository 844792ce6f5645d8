import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { SelectTeamsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import { fail, isId, type OrganizationId, parseListParameters } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { teamToProto } from "../teams/team-to-proto.ts";
import { selectTeamPageAmong } from "../teams/teams-sql.ts";

/** Any number of ids, up to the message limit: a workspace may have any number of teams. */
export async function selectTeams({ db }: IdentityContext, request: SelectTeamsRequest) {
  const list = parseListParameters(request);
  if (!isId(request.organizationId)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "organizationId", accepts: "the id of an organization" });
  }
  const organization = request.organizationId as OrganizationId;
  const choice = { organization, ids: request.ids.filter(isId), assigned: request.assigned };
  const { totalCount, rows } = await selectTeamPageAmong(db, choice, list);
  return { page: list.page, pageSize: list.pageSize, totalCount, teams: rows.map(teamToProto) };
}
