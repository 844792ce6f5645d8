import type { Caller } from "@cloud/access";
import { type ListParameters, parseListParameters } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import type { TextPage } from "@cloud/postgres/lists";
import {
  type ListWorkspacesRequest,
  ListWorkspacesResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { pageEncoder } from "@cloud/service/records";
import { organizationsInScope } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { ensureOrganizations } from "../organizations/ensure-organizations.ts";
import { selectWorkspacesOf, workspaceColumns } from "./sql.ts";

const encode = pageEncoder(ListWorkspacesResponseSchema, workspaceColumns);

/** Lists the workspaces of one organization or of all, after creating each `My Workspace` that is missing. */
export async function listWorkspaces(context: Context, caller: Caller, request: ListWorkspacesRequest) {
  const query = parseListParameters(request);
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  return encode(query, await selectWorkspaces(context, organizationIds, query));
}

/**
 * Selects the page. Every organization has at least one workspace, even before the event of its creation arrives. If
 * the first query of a list of one organization finds workspaces, the organization is known here and one statement is
 * enough.
 */
async function selectWorkspaces(
  context: Context,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
): Promise<TextPage> {
  const select = () => selectWorkspacesOf(context.db, organizationIds, query);
  if (organizationIds.length === 1) {
    const found = await select();
    if (found.totalCount > 0) return found;
  }
  await ensureOrganizations(context, organizationIds);
  // Selected again: the missing `My Workspace` was created here, or by the event of the organization's creation.
  return await select();
}
