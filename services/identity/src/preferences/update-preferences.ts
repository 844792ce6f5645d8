import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdatePreferencesRequest } from "@cloud/proto/identity/v1/user_service_pb";
import {
  type Caller,
  fail,
  type OrganizationId,
  parseId,
  requireMembership,
  type UserId,
  type WorkspaceId,
} from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectIsMember } from "../organizations/memberships-sql.ts";
import { selectOrganizationForShare } from "../organizations/organizations-sql.ts";
import { requireUser } from "../users/require-user.ts";
import { selectPreferences, selectSelectionForUpdate, updateSelection } from "./preferences-sql.ts";
import { preferencesToProto } from "./preferences-to-proto.ts";
import { changeSelection, type SelectedWorkspace, type SelectionChange } from "./selection-rules.ts";
import { lockWorkspaceReference } from "./workspace-references-sql.ts";

/** Changes the fields that are sent. What is stored is the caller's and live when the transaction commits. */
export async function updatePreferences(identity: IdentityContext, request: UpdatePreferencesRequest, caller: Caller) {
  const user = requireUser(caller);
  const change: SelectionChange = {
    organization: await findOrganization(request.selectedOrganization, caller),
    workspace: await findWorkspace(identity, request.selectedWorkspace, caller),
  };
  const isEmpty = change.organization === undefined && change.workspace === undefined;
  const row = isEmpty
    ? await selectPreferences(identity.db, user)
    : await identity.db.withTransaction((tx) => storeSelection(tx, user, change));
  return { preferences: preferencesToProto(row) };
}

async function findOrganization(sent: string | undefined, caller: Caller): Promise<SelectionChange["organization"]> {
  if (sent === undefined || sent === "") {
    return sent === "" ? null : undefined;
  }
  const organization = parseId<OrganizationId>(sent, Reason.ORGANIZATION_NOT_FOUND);
  await requireMembership(caller, organization, Reason.ORGANIZATION_NOT_FOUND);
  return organization;
}

/** Asks the workspace service: the look-up comes before the transaction, the reference row within it. */
async function findWorkspace(
  { workspaces }: IdentityContext,
  sent: string | undefined,
  caller: Caller,
): Promise<SelectionChange["workspace"]> {
  if (sent === undefined || sent === "") {
    return sent === "" ? null : undefined;
  }
  const id = parseId<WorkspaceId>(sent, Reason.WORKSPACE_NOT_FOUND);
  const [workspace] = (await workspaces.batchGetWorkspaces({ ids: [id] })).workspaces;
  if (workspace === undefined) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  const organizationId = parseId<OrganizationId>(workspace.organizationId, Reason.WORKSPACE_NOT_FOUND);
  await requireMembership(caller, organizationId, Reason.WORKSPACE_NOT_FOUND);
  return { id, organizationId };
}

async function storeSelection(tx: Tx, user: UserId, change: SelectionChange) {
  // 1. the organizations stay live and the user's
  await keepMembership(tx, user, change.organization, Reason.ORGANIZATION_NOT_FOUND);
  await keepMembership(tx, user, change.workspace?.organizationId, Reason.WORKSPACE_NOT_FOUND);
  // 2. the workspace was not deleted since it was looked up
  await keepWorkspace(tx, change.workspace);
  // 3. the selection
  const stored = await selectSelectionForUpdate(tx, user);
  return await updateSelection(tx, user, changeSelection(stored, change));
}

/** Share locks in either order cannot wait for each other, so the two organizations need no sorting. */
async function keepMembership(tx: Tx, user: UserId, organization: OrganizationId | null | undefined, notFound: Reason) {
  if (organization === null || organization === undefined) {
    return;
  }
  if (!(await selectOrganizationForShare(tx, organization)) || !(await selectIsMember(tx, organization, user))) {
    throw fail(notFound);
  }
}

async function keepWorkspace(tx: Tx, workspace: SelectedWorkspace | null | undefined): Promise<void> {
  if (workspace && !(await lockWorkspaceReference(tx, workspace))) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
}
