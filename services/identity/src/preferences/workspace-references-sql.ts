import type { Tx } from "@cloud/postgres";
import type { OrganizationId, WorkspaceId } from "@cloud/rpc";

/** A record of the workspace service's, as far as selecting one goes. */
export interface WorkspaceReference {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
}

/** Makes or finds the reference and locks it. False when the workspace is known to be deleted. */
export async function lockWorkspaceReference(tx: Tx, { id, organizationId }: WorkspaceReference): Promise<boolean> {
  // "do update" rather than "do nothing": it locks the row that is there, and answers it.
  const { rows } = await tx.query<{ deleted_at: Date | null }>(
    "insert into workspace_references as r (id, organization_id) values ($1, $2)" +
      " on conflict (id) do update set organization_id = r.organization_id returning deleted_at",
    [id, organizationId],
  );
  return rows[0]?.deleted_at === null;
}

/** The tombstone of a workspace that is known here. */
export async function tombstoneKnownWorkspace(tx: Tx, id: WorkspaceId): Promise<void> {
  await tx.query("update workspace_references set deleted_at = coalesce(deleted_at, now()) where id = $1", [id]);
}

/** Remembers for good that the workspace was deleted, whether it was known or not. Twice is as good as once. */
export async function tombstoneWorkspaceReference(tx: Tx, { id, organizationId }: WorkspaceReference): Promise<void> {
  await tx.query(
    "insert into workspace_references as r (id, organization_id, deleted_at) values ($1, $2, now())" +
      " on conflict (id) do update set deleted_at = coalesce(r.deleted_at, excluded.deleted_at)",
    [id, organizationId],
  );
}
