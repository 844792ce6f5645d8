import { oneRow, prepared, type Sql, type Tx } from "@cloud/postgres";
import type { Id, OrganizationId, WorkspaceId } from "@cloud/rpc";
import type { AssignmentKindName } from "./assignment-kind.ts";

export interface AssignmentRow {
  id: string;
  workspace_id: WorkspaceId;
  kind: AssignmentKindName;
  resource_id: string;
  created_at: Date;
  updated_at: Date;
}

/** A workspace that lost a link. */
export interface UnlinkedWorkspace {
  id: WorkspaceId;
  organization_id: OrganizationId;
}

const columns = "id, workspace_id, kind, resource_id, created_at, updated_at";
/** Undefined when the two are linked already: of many parallel assignments one inserts. */
export async function insertAssignment(
  tx: Tx,
  id: Id,
  workspaceId: WorkspaceId,
  kind: AssignmentKindName,
  resourceId: Id,
): Promise<AssignmentRow | undefined> {
  const result = await tx.query<AssignmentRow>(
    "insert into assignments (id, workspace_id, kind, resource_id) values ($1, $2, $3, $4) " +
      "on conflict on constraint assignments_pair do nothing returning " +
      columns,
    [id, workspaceId, kind, resourceId],
  );
  return result.rows[0];
}

export async function selectAssignment(
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: AssignmentKindName,
  resourceId: Id,
): Promise<AssignmentRow> {
  const result = await tx.query<AssignmentRow>(
    "select " + columns + " from assignments where workspace_id = $1 and kind = $2 and resource_id = $3 for share",
    [workspaceId, kind, resourceId],
  );
  return oneRow(result);
}

/** Answers whether there was a link: of many parallel removals one deletes. */
export async function deleteAssignment(
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: AssignmentKindName,
  resourceId: Id,
): Promise<boolean> {
  const result = await tx.query(
    "delete from assignments where workspace_id = $1 and kind = $2 and resource_id = $3 returning id",
    [workspaceId, kind, resourceId],
  );
  return result.rows.length === 1;
}

export async function deleteLinksOfWorkspaces(tx: Tx, ids: readonly WorkspaceId[]): Promise<void> {
  await tx.query("delete from assignments where workspace_id = any($1)", [ids]);
}

// Two thirds of it were planning, which finds the index of (kind, resource_id) every time.
const deleteLinksTellingWorkspaces = prepared(
  "delete from assignments using workspaces where kind = $1 and resource_id = $2 " +
    "and workspaces.id = assignments.workspace_id returning workspaces.id, workspaces.organization_id",
);

/** Ends all links of a resource and answers the workspaces that had one. */
export async function deleteLinksOfResource(
  tx: Tx,
  kind: AssignmentKindName,
  resourceId: Id,
): Promise<UnlinkedWorkspace[]> {
  const result = await tx.query<UnlinkedWorkspace>(deleteLinksTellingWorkspaces, [kind, resourceId]);
  return result.rows;
}

/** Ends the links of a resource to workspaces outside the organization, and answers these workspaces. */
export async function deleteLinksOutside(
  tx: Tx,
  kind: AssignmentKindName,
  resourceId: Id,
  organizationId: OrganizationId,
): Promise<UnlinkedWorkspace[]> {
  const result = await tx.query<UnlinkedWorkspace>(
    "delete from assignments using workspaces where kind = $1 and resource_id = $2 and organization_id <> $3 " +
      "and workspaces.id = assignments.workspace_id returning workspaces.id, workspaces.organization_id",
    [kind, resourceId, organizationId],
  );
  return result.rows;
}

/** The ids of what is linked to a workspace. */
export async function selectAssignedIds(
  sql: Sql,
  workspaceId: WorkspaceId,
  kind: AssignmentKindName,
): Promise<string[]> {
  const result = await sql.query<{ resource_id: string }>(
    "select resource_id from assignments where workspace_id = $1 and kind = $2",
    [workspaceId, kind],
  );
  return result.rows.map((row) => row.resource_id);
}

/** The ids of a kind that are linked to any workspace, in order, after one. */
export async function selectLinkedIdsAfter(
  sql: Sql,
  kind: AssignmentKindName,
  after: string,
  limit: number,
): Promise<string[]> {
  const result = await sql.query<{ resource_id: string }>(
    "select distinct resource_id from assignments where kind = $1 and ($2 = '' or resource_id > nullif($2, '')::uuid) " +
      "order by resource_id limit $3",
    [kind, after, limit],
  );
  return result.rows.map((row) => row.resource_id);
}
