import { type Caller, parseOrganizationList } from "@cloud/contract";
import { sql } from "@cloud/postgres";
import {
  type SelectLinkedEnvironmentsRequest,
  SelectLinkedEnvironmentsResponseSchema,
} from "@cloud/proto/environment/v1/directory_service_pb";
import { pageEncoder, parseWorkspaceLinks, updateLinkCopy } from "@cloud/service";
import type { Context } from "../context.ts";
import { environmentColumns, selectLinkedEnvironmentsPage } from "../environments/environment-sql.ts";

const encode = pageEncoder(SelectLinkedEnvironmentsResponseSchema, environmentColumns);

/** Returns a page of the organization's live environments that are linked to a workspace, or of the others. */
export async function selectLinkedEnvironments(
  context: Context,
  _caller: Caller,
  request: SelectLinkedEnvironmentsRequest,
) {
  const { organizationId, query } = parseOrganizationList(request);
  const links = parseWorkspaceLinks(request.links);
  await updateLinkCopy(context.db, sql`environments`, organizationId, links);
  const selection = { organizationId, links, assigned: request.assigned, query };
  return encode(query, await selectLinkedEnvironmentsPage(context.db, selection));
}
