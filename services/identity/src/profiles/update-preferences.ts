import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type OrganizationId, orThrow, parseId, type UserId, type WorkspaceId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdatePreferencesRequest } from "@cloud/proto/identity/v1/user_service_pb";
import type { Context } from "../context.ts";
import { selectIsMember } from "../memberships/sql.ts";
import { selectOrganizationForShare } from "../organizations/sql.ts";
import { selectPreferences, selectSelectionForUpdate, updateSelection } from "../selections/preferences-sql.ts";
import { changeSelection, type SelectedWorkspace, type SelectionChange } from "../selections/rules.ts";
import { insertOrLockWorkspaceReference } from "../selections/workspace-reference-sql.ts";
import { preferencesToProto } from "../to-proto.ts";
import { requireUser } from "../users/resolve-owner.ts";

/** Updates the fields that are sent. Locks keep the selected records live, and the user a member, until the commit. */
export async function updatePreferences(context: Context, caller: Caller, request: UpdatePreferencesRequest) {
  const userId = requireUser(caller);
  const change: SelectionChange = {
    organizationId: await changeOf(request.selectedOrganization, (id) => requireOrganization(caller, id)),
    workspace: await changeOf(request.selectedWorkspace, (id) => requireWorkspace(context, caller, id)),
  };
  const isEmpty = change.organizationId === undefined && change.workspace === undefined;
  const row = isEmpty
    ? await selectPreferences(context.db, userId)
    : await context.db.transaction((tx) => storeSelection(tx, userId, change));
  return { preferences: preferencesToProto(row) };
}

/** Returns what a field selects: undefined if it was not sent, null if it is empty. */
async function changeOf<Selected>(sent: string | undefined, require: (id: string) => Promise<Selected>) {
  return sent ? await require(sent) : sent === "" ? null : undefined;
}

async function requireOrganization(caller: Caller, sent: string): Promise<OrganizationId> {
  const organizationId = parseId<OrganizationId>(sent, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireMembership(organizationId, Reason.ORGANIZATION_NOT_FOUND);
  return organizationId;
}

/** Looks the workspace up at its owner, before the transaction; its reference is locked inside the transaction. */
async function requireWorkspace(context: Context, caller: Caller, sent: string): Promise<SelectedWorkspace> {
  const id = parseId<WorkspaceId>(sent, Reason.WORKSPACE_NOT_FOUND);
  const [workspace] = (await context.workspace.batchGetWorkspaces({ ids: [id] })).workspaces;
  const found = orThrow(workspace, Reason.WORKSPACE_NOT_FOUND);
  const organizationId = parseId<OrganizationId>(found.organizationId, Reason.WORKSPACE_NOT_FOUND);
  await caller.requireMembership(organizationId, Reason.WORKSPACE_NOT_FOUND);
  return { id, organizationId };
}

async function storeSelection(tx: Tx, userId: UserId, change: SelectionChange) {
  // 1. keep the organizations live and the user a member
  await keepMembership(tx, userId, change.organizationId, Reason.ORGANIZATION_NOT_FOUND);
  await keepMembership(tx, userId, change.workspace?.organizationId, Reason.WORKSPACE_NOT_FOUND);
  // 2. refuse a workspace that was deleted since the look-up
  if (change.workspace && !(await insertOrLockWorkspaceReference(tx, change.workspace))) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  // 3. store the selection
  const stored = await selectSelectionForUpdate(tx, userId);
  return await updateSelection(tx, userId, changeSelection(stored, change));
}

/** Locks the organization FOR SHARE. Share locks do not wait for each other, so the two organizations need no order. */
async function keepMembership(
  tx: Tx,
  userId: UserId,
  organizationId: OrganizationId | null | undefined,
  notFound: Reason,
) {
  if (organizationId === null || organizationId === undefined) {
    return;
  }
  if (!(await selectOrganizationForShare(tx, organizationId)) || !(await selectIsMember(tx, organizationId, userId))) {
    throw fail(notFound);
  }
}
