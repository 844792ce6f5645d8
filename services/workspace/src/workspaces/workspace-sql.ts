import type { JsonObject } from "@bufbuild/protobuf";
import { oneRow, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { ListParameters, OrganizationId, WorkspaceId } from "@cloud/rpc";
import { INITIAL_WORKSPACE_NAME } from "./workspace-rules.ts";

export interface WorkspaceRow {
  id: WorkspaceId;
  organization_id: OrganizationId;
  name: string;
  description: string;
  owner: string;
  metadata: JsonObject;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface NewWorkspace {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
}

/** Undefined fields stay as they are. */
export interface WorkspaceChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

const columns = "id, organization_id, name, description, owner, metadata, created_at, updated_at, deleted_at";
const selectById = "select " + columns + " from workspaces where id = $1";
const selectLive = selectById + " and deleted_at is null";

export async function selectWorkspace(sql: Sql, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return (await sql.query<WorkspaceRow>(selectLive, [id])).rows[0];
}

export async function selectWorkspaceEvenDeleted(sql: Sql, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return (await sql.query<WorkspaceRow>(selectById, [id])).rows[0];
}

/** Keeps the workspace live until the end of `tx`, and lets others do the same. */
export async function selectWorkspaceForShare(tx: Tx, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return (await tx.query<WorkspaceRow>(selectLive + " for share", [id])).rows[0];
}

/** Keeps everybody else who locks the workspace waiting until the end of `tx`. */
export async function selectWorkspaceForUpdate(tx: Tx, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return (await tx.query<WorkspaceRow>(selectLive + " for update", [id])).rows[0];
}

/** The live workspaces among `ids`. */
export async function selectWorkspacesById(sql: Sql, ids: readonly WorkspaceId[]): Promise<WorkspaceRow[]> {
  const text =
    "select " + columns + " from workspaces where id = any($1) and deleted_at is null order by created_at, id";
  return (await sql.query<WorkspaceRow>(text, [ids])).rows;
}

/** A page of the live workspaces of the organizations. */
export async function selectWorkspacesOf(sql: Sql, organizationIds: readonly OrganizationId[], query: ListParameters) {
  return selectPage<WorkspaceRow>(sql, {
    columns,
    from: "workspaces",
    where: "organization_id = any($1) and deleted_at is null",
    params: [organizationIds],
    searchColumns: ["name", "description"],
    ...query,
  });
}

/** Counts only while the caller holds the organization's row lock: otherwise two deletions count each other. */
export async function countLiveWorkspaces(tx: Tx, organizationId: OrganizationId): Promise<number> {
  const result = await tx.query<{ count: string }>(
    "select count(*) as count from workspaces where organization_id = $1 and deleted_at is null",
    [organizationId],
  );
  return Number(oneRow(result).count);
}

export async function insertWorkspace(tx: Tx, workspace: NewWorkspace): Promise<WorkspaceRow> {
  const { id, organizationId, name, description, owner } = workspace;
  const result = await tx.query<WorkspaceRow>(
    "insert into workspaces (id, organization_id, name, description, owner) values ($1, $2, $3, $4, $5) returning " +
      columns,
    [id, organizationId, name, description, owner],
  );
  return oneRow(result);
}

/** `My Workspace`; undefined when the organization has had its own already. */
export async function insertInitialWorkspace(
  tx: Tx,
  id: WorkspaceId,
  organizationId: OrganizationId,
  owner: string,
): Promise<WorkspaceRow | undefined> {
  const result = await tx.query<WorkspaceRow>(
    "insert into workspaces (id, organization_id, name, description, owner, initial) values ($1, $2, $3, '', $4, true) " +
      "on conflict (organization_id) where initial do nothing returning " +
      columns,
    [id, organizationId, INITIAL_WORKSPACE_NAME, owner],
  );
  return result.rows[0];
}

/** Undefined when the workspace is not live. */
export async function updateWorkspaceFields(
  tx: Tx,
  id: WorkspaceId,
  { name, description }: WorkspaceChanges,
): Promise<WorkspaceRow | undefined> {
  const result = await tx.query<WorkspaceRow>(
    "update workspaces set name = coalesce($2, name), description = coalesce($3, description), updated_at = now() " +
      "where id = $1 and deleted_at is null returning " +
      columns,
    [id, name ?? null, description ?? null],
  );
  return result.rows[0];
}

export async function softDeleteWorkspace(tx: Tx, id: WorkspaceId): Promise<void> {
  await tx.query("update workspaces set deleted_at = now() where id = $1 and deleted_at is null", [id]);
}

/** Soft-deletes every live workspace of the organization and answers them. */
export async function softDeleteWorkspacesOf(tx: Tx, organizationId: OrganizationId): Promise<WorkspaceRow[]> {
  const result = await tx.query<WorkspaceRow>(
    "update workspaces set deleted_at = now() where organization_id = $1 and deleted_at is null returning " + columns,
    [organizationId],
  );
  return result.rows;
}
