import type { OrganizationId, UserId, WorkspaceId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { writeTime } from "@cloud/service/records";
import type { Selection } from "./rules.ts";

export interface PreferencesRow {
  selected_organization: OrganizationId | null;
  selected_workspace: WorkspaceId | null;
  updated_at: Date;
}

const columns = sql`selected_organization, selected_workspace, updated_at`;

const preferences = statement<PreferencesRow>`
  select ${columns}
  from preferences
  where user_id = $1`;

/** Returns the preferences of a user, without a lock. Every user has a row from their creation. */
export async function selectPreferences(db: Reader, userId: UserId): Promise<PreferencesRow> {
  return oneRow(await db.read(preferences, [userId]));
}

const lockUser = statement`
  select 1
  from preferences
  where user_id = $1
  for update`;

const selectWithPlace = statement<PreferencesRow & { organization_id: OrganizationId | null }>`
  select ${columns}, r.organization_id
  from preferences
  left join workspace_references r on r.id = selected_workspace
  where user_id = $1`;

/** Returns a user's selection and locks their preferences FOR UPDATE until `tx` ends. */
export async function selectSelectionForUpdate(tx: Tx, userId: UserId): Promise<Selection> {
  await tx.query(lockUser, [userId]);
  const { rows } = await tx.query(selectWithPlace, [userId]);
  const {
    selected_organization: organizationId = null,
    selected_workspace: id = null,
    organization_id = null,
  } = rows[0] ?? {};
  return {
    organizationId,
    workspace: id === null || organization_id === null ? null : { id, organizationId: organization_id },
  };
}

const selectionUpdate = statement<PreferencesRow>`
  update preferences
  set selected_organization = $2, selected_workspace = $3, updated_at = ${writeTime}
  where user_id = $1
  returning ${columns}`;

/** Stores a selection; the caller holds the lock of `selectSelectionForUpdate`. */
export async function updateSelection(tx: Tx, userId: UserId, selection: Selection): Promise<PreferencesRow> {
  const result = await tx.query(selectionUpdate, [userId, selection.organizationId, selection.workspace?.id ?? null]);
  return oneRow(result);
}

const clearWorkspaces = statement`
  update preferences
  set selected_workspace = null, updated_at = ${writeTime}
  where selected_workspace = any($1)
  returning 1`;

/** Clears all users' selections of deleted workspaces. Returns whether there were any. */
export async function clearSelectionsOfWorkspaces(tx: Tx, workspaceIds: readonly WorkspaceId[]): Promise<boolean> {
  return (await tx.query(clearWorkspaces, [workspaceIds])).rows.length > 0;
}

const clearWorkspacesOf = statement`
  update preferences
  set selected_workspace = null, updated_at = ${writeTime}
  where selected_workspace in (
    select id
    from workspace_references
    where organization_id = $1
  )`;

const clearOrganization = statement`
  update preferences
  set selected_organization = null, updated_at = ${writeTime}
  where selected_organization = $1`;

/** Clears all users' selections of a deleted organization and of its workspaces. */
export async function clearSelectionsOfOrganization(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query(clearWorkspacesOf, [organizationId]);
  await tx.query(clearOrganization, [organizationId]);
}

const selectedWorkspaceIdsAfter = statement<{ id: string }>`
  select distinct selected_workspace as id
  from preferences
  where selected_workspace is not null and ($1 = '' or selected_workspace > nullif($1, '')::uuid)
  order by 1
  limit $2`;

/** Returns the next `limit` ids of selected workspaces, in order, after `after` (empty for the first). */
export async function selectSelectedWorkspaceIdsAfter(db: Reader, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.read(selectedWorkspaceIdsAfter, [after, limit]);
  return rows.map((row) => row.id);
}
