import type { Id, OrganizationId, WorkspaceId } from "@cloud/access/values";
import { type BoundStatement, oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import type { ResourceType } from "../resource-type.ts";

export interface AssignmentRow {
  id: string;
  workspace_id: WorkspaceId;
  kind: ResourceType;
  resource_id: string;
  created_at: Date;
  updated_at: Date;
}

/** A link that was deleted, with the organization of its workspace. */
export interface DeletedLink {
  readonly workspace_id: WorkspaceId;
  readonly organization_id: OrganizationId;
  readonly resource_id: string;
}

const columns = sql`id, workspace_id, kind, resource_id, created_at, updated_at`;

// "do update" rather than "do nothing": it locks the existing link, so that a concurrent removal runs before or after.
// A select that followed "do nothing" found no row in 70 of 256 assigns of 16 clients that also removed.
const insertOrLock = statement<AssignmentRow & { is_new: boolean; is_one_too_many: boolean }>`
  insert into assignments (id, workspace_id, kind, resource_id)
  values ($1, $2, $3, $4)
  on conflict on constraint assignments_pair do update
  set updated_at = assignments.updated_at
  returning ${columns}, xmax = 0 as is_new,
    xmax = 0 and exists (
      select
      from assignments
      where workspace_id = $2 and kind = $3
      offset $5::bigint
    ) as is_one_too_many`;

/**
 * Inserts the link or returns the existing one, locked until `tx` ends; of concurrent assignments one is new. A new
 * link is one too many if the workspace had `max` of the kind before; the check reads no more than `max` links.
 */
export async function insertOrLockAssignment(
  tx: Tx,
  id: Id,
  workspaceId: WorkspaceId,
  kind: ResourceType,
  resourceId: Id,
  max: number,
): Promise<{ assignment: AssignmentRow; isNew: boolean; isOneTooMany: boolean }> {
  const result = await tx.query(insertOrLock, [id, workspaceId, kind, resourceId, max - 1]);
  const { is_new: isNew, is_one_too_many: isOneTooMany, ...assignment } = oneRow(result);
  return { assignment, isNew, isOneTooMany };
}

const assignmentDeletion = statement`
  delete from assignments
  where workspace_id = $1 and kind = $2 and resource_id = $3
  returning id`;

/** Deletes the link and returns whether there was one; of concurrent removals one returns true. */
export async function deleteAssignment(
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: ResourceType,
  resourceId: Id,
): Promise<boolean> {
  const result = await tx.query(assignmentDeletion, [workspaceId, kind, resourceId]);
  return result.rows.length === 1;
}

const linksOfWorkspaces = statement<{ id: Id }>`
  select id
  from assignments
  where workspace_id = any($1)
  limit $2`;

/** Returns links of the workspaces, at most `max`. */
export async function selectLinksOfWorkspaces(db: Reader, ids: readonly WorkspaceId[], max: number): Promise<Id[]> {
  return (await db.read(linksOfWorkspaces, [ids, max])).rows.map((link) => link.id);
}

const deleteByIds = statement`
  delete from assignments
  where id = any($1)`;
const deleteOfWorkspaces = statement`
  delete from assignments
  where workspace_id = any($1)`;

/** Returns the statement that deletes links. */
export const linkDeletion = (ids: readonly Id[]): BoundStatement => ({ statement: deleteByIds, params: [ids] });

/** Returns the statement that deletes all links of the workspaces. */
export const linkDeletionOfWorkspaces = (ids: readonly WorkspaceId[]): BoundStatement => ({
  statement: deleteOfWorkspaces,
  params: [ids],
});

/** Deletes all links of the workspaces. */
export async function deleteLinksOfWorkspaces(tx: Tx, ids: readonly WorkspaceId[]): Promise<void> {
  await tx.query(deleteOfWorkspaces, [ids]);
}

// A named statement: two thirds of its time were planning, which always chooses the index of (kind, resource_id).
const deleteOfResources = statement<DeletedLink>`
  delete from assignments
  using workspaces
  where kind = $1 and resource_id = any($2) and workspaces.id = assignments.workspace_id
  returning assignments.workspace_id, workspaces.organization_id, assignments.resource_id`;

/** Deletes all links of the resources and returns them. */
export async function deleteLinksOfResources(
  tx: Tx,
  kind: ResourceType,
  resourceIds: readonly Id[],
): Promise<DeletedLink[]> {
  return (await tx.query(deleteOfResources, [kind, resourceIds])).rows;
}

const linksOutsideDeletion = statement<DeletedLink>`
  delete from assignments
  using workspaces
  where kind = $1 and resource_id = $2 and organization_id <> $3 and workspaces.id = assignments.workspace_id
  returning assignments.workspace_id, workspaces.organization_id, assignments.resource_id`;

/** Deletes the links of a resource to workspaces of other organizations and returns them. */
export async function deleteLinksOutside(
  tx: Tx,
  kind: ResourceType,
  resourceId: Id,
  organizationId: OrganizationId,
): Promise<DeletedLink[]> {
  return (await tx.query(linksOutsideDeletion, [kind, resourceId, organizationId])).rows;
}

const linkedIdsAfter = statement<{ resource_id: string }>`
  select distinct resource_id
  from assignments
  where kind = $1 and ($2 = '' or resource_id > nullif($2, '')::uuid)
  order by resource_id
  limit $3`;

/** Returns up to `limit` ids of a kind that are linked to any workspace, in order, after the id `after`. */
export async function selectLinkedIdsAfter(
  db: Reader,
  kind: ResourceType,
  after: string,
  limit: number,
): Promise<string[]> {
  const result = await db.read(linkedIdsAfter, [kind, after, limit]);
  return result.rows.map((row) => row.resource_id);
}
