import { type Caller, parseOrganizationList } from "@cloud/contract";
import { sql } from "@cloud/postgres";
import {
  type SelectLinkedTeamsRequest,
  SelectLinkedTeamsResponseSchema,
} from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder, parseWorkspaceLinks, updateLinkCopy } from "@cloud/service";
import type { Context } from "../context.ts";
import { selectLinkedTeamsPage, teamColumns } from "../teams/team-sql.ts";

const encode = pageEncoder(SelectLinkedTeamsResponseSchema, teamColumns);

/** Returns a page of the organization's live teams that are linked to a workspace, or of the others. */
export async function selectLinkedTeams(context: Context, _caller: Caller, request: SelectLinkedTeamsRequest) {
  const { organizationId, query } = parseOrganizationList(request);
  const links = parseWorkspaceLinks(request.links);
  await updateLinkCopy(context.db, sql`teams`, organizationId, links);
  const selection = { organizationId, links, assigned: request.assigned, query };
  return encode(query, await selectLinkedTeamsPage(context.db, selection));
}
