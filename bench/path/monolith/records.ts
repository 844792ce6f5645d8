export interface WorkspaceRow {
  id: string;
  organization_id: string;
  name: string;
  description: string;
  owner: string;
  metadata: object;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  etag: string;
}

export interface EnvironmentRow extends Omit<WorkspaceRow, "owner"> {
  platform_provisioned: boolean;
}

export interface AssignmentRow {
  id: string;
  workspace_id: string;
  resource_id: string;
  created_at: Date;
  updated_at: Date;
}

export const workspaceToJson = (row: WorkspaceRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  organizationId: row.organization_id,
  owner: row.owner,
  metadata: row.metadata,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  deletedAt: row.deleted_at?.toISOString() ?? null,
  etag: row.etag,
});

export const environmentToJson = (row: EnvironmentRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  organizationId: row.organization_id,
  platformProvisioned: row.platform_provisioned,
  metadata: row.metadata,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  deletedAt: row.deleted_at?.toISOString() ?? null,
  etag: row.etag,
});

export const assignmentToJson = (row: AssignmentRow) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  teamId: row.resource_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  deletedAt: null,
});
