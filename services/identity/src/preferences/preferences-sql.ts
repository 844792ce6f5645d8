import type { Sql, Tx } from "@cloud/postgres";
import type { OrganizationId, UserId, WorkspaceId } from "@cloud/rpc";
import type { Selection } from "./selection-rules.ts";

export interface PreferencesRow {
  selected_organization: OrganizationId | null;
  selected_workspace: WorkspaceId | null;
  updated_at: Date;
}

const COLUMNS = "selected_organization, selected_workspace, updated_at";

/** Every user has a row, from their creation on. */
export async function selectPreferences(sql: Sql, user: UserId): Promise<PreferencesRow> {
  const text = "select " + COLUMNS + " from preferences where user_id = $1";
  return (await sql.query<PreferencesRow>(text, [user])).rows[0] as PreferencesRow;
}

/** What the user has selected, locked until the transaction ends. */
export async function selectSelectionForUpdate(tx: Tx, user: UserId): Promise<Selection> {
  await tx.query("select 1 from preferences where user_id = $1 for update", [user]);
  const { rows } = await tx.query<PreferencesRow & { organization_id: OrganizationId | null }>(
    "select " +
      COLUMNS +
      ", r.organization_id from preferences" +
      " left join workspace_references r on r.id = selected_workspace where user_id = $1",
    [user],
  );
  const {
    selected_organization: organization = null,
    selected_workspace: id = null,
    organization_id = null,
  } = rows[0] ?? {};
  return {
    organization,
    workspace: id === null || organization_id === null ? null : { id, organizationId: organization_id },
  };
}

export async function updateSelection(tx: Tx, user: UserId, selection: Selection): Promise<PreferencesRow> {
  const { rows } = await tx.query<PreferencesRow>(
    "update preferences set selected_organization = $2, selected_workspace = $3, updated_at = now()" +
      " where user_id = $1 returning " +
      COLUMNS,
    [user, selection.organization, selection.workspace?.id ?? null],
  );
  return rows[0] as PreferencesRow;
}

/** Clears everybody's selection of a workspace that was deleted. Answers whether there was any. */
export async function clearSelectionsOfWorkspace(tx: Tx, workspace: WorkspaceId): Promise<boolean> {
  const { rows } = await tx.query(
    "update preferences set selected_workspace = null, updated_at = now() where selected_workspace = $1 returning 1",
    [workspace],
  );
  return rows.length > 0;
}

/** Clears everybody's selection of an organization that was deleted, and of its workspaces. */
export async function clearSelectionsOfOrganization(tx: Tx, organization: OrganizationId): Promise<void> {
  await tx.query(
    "update preferences set selected_workspace = null, updated_at = now()" +
      " where selected_workspace in (select id from workspace_references where organization_id = $1)",
    [organization],
  );
  await tx.query(
    "update preferences set selected_organization = null, updated_at = now() where selected_organization = $1",
    [organization],
  );
}

/** The ids of the workspaces that anybody has selected, in order, after one. */
export async function selectSelectedWorkspaceIdsAfter(sql: Sql, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    "select distinct selected_workspace as id from preferences where selected_workspace is not null" +
      " and ($1 = '' or selected_workspace > nullif($1, '')::uuid) order by 1 limit $2",
    [after, limit],
  );
  return rows.map((row) => row.id);
}
