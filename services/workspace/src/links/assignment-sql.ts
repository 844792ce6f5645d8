import type { Id, OrganizationId, WorkspaceId } from "@cloud/contract";
import { oneRow, type Sql, sql, type Tx } from "@cloud/postgres";
import type { ResourceKind } from "../resource-kind.ts";

export interface AssignmentRow {
  id: string;
  workspace_id: WorkspaceId;
  kind: ResourceKind;
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
const insertOrLock = sql`
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
 * Inserts the link or returns the existing one, locked until `tx` ends; of concurrent assignments one is new. A new one
 * is one too many if the workspace had `most` of the kind before; that reads no more than those.
 */
export async function insertOrLockAssignment(
  tx: Tx,
  id: Id,
  workspaceId: WorkspaceId,
  kind: ResourceKind,
  resourceId: Id,
  most: number,
): Promise<{ assignment: AssignmentRow; isNew: boolean; isOneTooMany: boolean }> {
  const result = await tx.query<AssignmentRow & { is_new: boolean; is_one_too_many: boolean }>(insertOrLock, [
    id,
    workspaceId,
    kind,
    resourceId,
    most - 1,
  ]);
  const { is_new: isNew, is_one_too_many: isOneTooMany, ...assignment } = oneRow(result);
  return { assignment, isNew, isOneTooMany };
}

/** Deletes the link and returns whether there was one; of concurrent removals one returns true. */
export async function deleteAssignment(
  tx: Tx,
  workspaceId: WorkspaceId,
  kind: ResourceKind,
  resourceId: Id,
): Promise<boolean> {
  const result = await tx.query(
    sql`
      delete from assignments
      where workspace_id = $1 and kind = $2 and resource_id = $3
      returning id`,
    [workspaceId, kind, resourceId],
  );
  return result.rows.length === 1;
}

/** Returns links of the workspaces, at most `most`. */
export async function selectLinksOfWorkspaces(db: Sql, ids: readonly WorkspaceId[], most: number): Promise<Id[]> {
  const text = sql`
    select id
    from assignments
    where workspace_id = any($1)
    limit $2`;
  return (await db.query<{ id: Id }>(text, [ids, most])).rows.map((link) => link.id);
}

const deleteByIds = sql`
  delete from assignments
  where id = any($1)`;
const deleteOfWorkspaces = sql`
  delete from assignments
  where workspace_id = any($1)`;

/** Queues the deletion of links. */
export function deleteLinks(tx: Tx, ids: readonly Id[]): void {
  tx.queue(deleteByIds, [ids]);
}

/** Queues the deletion of all links of the workspaces. */
export function deleteLinksOfWorkspaces(tx: Tx, ids: readonly WorkspaceId[]): void {
  tx.queue(deleteOfWorkspaces, [ids]);
}

// Prepared, because two thirds of its time were planning, which always chooses the index of (kind, resource_id).
const deleteOfResources = sql`
  delete from assignments
  using workspaces
  where kind = $1 and resource_id = any($2) and workspaces.id = assignments.workspace_id
  returning assignments.workspace_id, workspaces.organization_id, assignments.resource_id`;

/** Deletes all links of the resources and returns them. */
export async function deleteLinksOfResources(
  tx: Tx,
  kind: ResourceKind,
  resourceIds: readonly Id[],
): Promise<DeletedLink[]> {
  return (await tx.query<DeletedLink & Record<string, unknown>>(deleteOfResources, [kind, resourceIds])).rows;
}

/** Deletes the links of a resource to workspaces of other organizations and returns them. */
export async function deleteLinksOutside(
  tx: Tx,
  kind: ResourceKind,
  resourceId: Id,
  organizationId: OrganizationId,
): Promise<DeletedLink[]> {
  const text = sql`
    delete from assignments
    using workspaces
    where kind = $1 and resource_id = $2 and organization_id <> $3 and workspaces.id = assignments.workspace_id
    returning assignments.workspace_id, workspaces.organization_id, assignments.resource_id`;
  return (await tx.query<DeletedLink & Record<string, unknown>>(text, [kind, resourceId, organizationId])).rows;
}

/** Returns up to `limit` ids of a kind that are linked to any workspace, in order, those after `after`. */
export async function selectLinkedIdsAfter(
  db: Sql,
  kind: ResourceKind,
  after: string,
  limit: number,
): Promise<string[]> {
  const result = await db.query<{ resource_id: string }>(
    sql`
      select distinct resource_id
      from assignments
      where kind = $1 and ($2 = '' or resource_id > nullif($2, '')::uuid)
      order by resource_id
      limit $3`,
    [kind, after, limit],
  );
  return result.rows.map((row) => row.resource_id);
}
