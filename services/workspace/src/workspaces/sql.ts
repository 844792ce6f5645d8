import type { JsonObject } from "@bufbuild/protobuf";
import type { RequiredTags } from "@cloud/access";
import type { ListParameters } from "@cloud/access/lists";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { selectTextPage } from "@cloud/postgres/lists";
import { hasTag, inOrganizations, liveRecords, type RecordRow, softDeletes, writeTime } from "@cloud/service/records";

export interface WorkspaceRow extends RecordRow<WorkspaceId> {
  owner: string;
  metadata: JsonObject;
}

interface NewWorkspace {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  /** A JSON object. */
  readonly metadata: string;
}

/** The changes of an update; undefined fields are not changed. */
interface WorkspaceChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** A JSON object, which replaces the stored one as a whole. */
  readonly metadata: string | undefined;
}

export const workspaceColumns = sql`
  id, organization_id, name, description, owner, metadata, created_at, updated_at, deleted_at, etag`;
const selectById = statement<WorkspaceRow>`
  select ${workspaceColumns}
  from workspaces
  where id = $1`;

export const {
  selectShared: selectWorkspace,
  selectMany: selectWorkspaces,
  selectForShare: selectWorkspaceForShare,
  selectForUpdate: selectWorkspaceForUpdate,
} = liveRecords<WorkspaceRow>(sql`workspaces`, workspaceColumns);

export const workspaceDeletion = softDeletes<WorkspaceId>(sql`workspaces`);
export const { softDelete: softDeleteWorkspace } = workspaceDeletion;

/** Returns the workspace, live or deleted; undefined when it is unknown. */
export async function selectWorkspaceEvenDeleted(db: Reader, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return (await db.read(selectById, [id])).rows[0];
}

/** Returns a page of the live workspaces of the organizations. */
export async function selectWorkspacesOf(
  db: Reader,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
) {
  const { condition, param, count, searching } = inOrganizations(organizationIds, 1);
  return selectTextPage(db, {
    columns: workspaceColumns,
    from: sql`workspaces`,
    where: sql`${condition} and deleted_at is null`,
    params: [param],
    isPlannedOnce: organizationIds.length === 1,
    count: count(sql`list = 'workspaces'`),
    ...searching(sql`name`, sql`description`),
    largeColumn: sql`metadata`,
    ...query,
  });
}

const countOfLiveWorkspaces = statement<{ count: string }>`
  select count(*) as count
  from (
    select
    from workspaces
    where organization_id = $1 and deleted_at is null
    order by created_at desc, id desc
    limit 2
  ) two`;

/**
 * Counts live workspaces up to 2: the minimum is one, and 1,000,000 took 335 ms under the lock. Valid only under
 * the organization's row lock: otherwise two deletions count each other.
 */
export async function countLiveWorkspaces(tx: Tx, organizationId: OrganizationId): Promise<number> {
  const result = await tx.query(countOfLiveWorkspaces, [organizationId]);
  return Number(oneRow(result).count);
}

const workspaceInsertion = statement<WorkspaceRow>`
  insert into workspaces (id, organization_id, name, description, owner, metadata)
  values ($1, $2, $3, $4, $5, $6)
  returning ${workspaceColumns}`;

export async function insertWorkspace(tx: Tx, workspace: NewWorkspace): Promise<WorkspaceRow> {
  const { id, organizationId, name, description, owner, metadata } = workspace;
  const result = await tx.query(workspaceInsertion, [id, organizationId, name, description, owner, metadata]);
  return oneRow(result);
}

const workspaceFieldsUpdate = statement<WorkspaceRow>`
  update workspaces
  set name = coalesce($2, name), description = coalesce($3, description),
    metadata = coalesce($4::jsonb, metadata), updated_at = ${writeTime}
  where id = $1 and deleted_at is null and ${hasTag(5)}
  returning ${workspaceColumns}`;

/** Updates a live workspace; returns undefined when it is not live, or has none of the tags. */
export async function updateWorkspaceFields(
  tx: Tx,
  id: WorkspaceId,
  { name, description, metadata }: WorkspaceChanges,
  tags: RequiredTags,
): Promise<WorkspaceRow | undefined> {
  const result = await tx.query(workspaceFieldsUpdate, [id, name ?? null, description ?? null, metadata ?? null, tags]);
  return result.rows[0];
}
