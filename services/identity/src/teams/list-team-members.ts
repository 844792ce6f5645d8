import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { ListTeamMembersRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { viewerOf } from "../members/list-members.ts";
import { teamMemberToProto } from "../to-proto.ts";
import { requireTeam } from "./get-team.ts";
import { selectTeamMembersOf } from "./member-sql.ts";

/** Lists the members of a team. */
export async function listTeamMembers(context: Context, caller: Caller, request: ListTeamMembersRequest) {
  const query = parseListParameters(request);
  const { id, organization_id: organizationId } = await requireTeam(context, caller, request);
  const viewer = await viewerOf(context, caller, organizationId);
  const { rows, ...total } = await selectTeamMembersOf(context.db, id, viewer, query);
  return { page: query.page, pageSize: query.pageSize, ...total, members: rows.map(teamMemberToProto) };
}
