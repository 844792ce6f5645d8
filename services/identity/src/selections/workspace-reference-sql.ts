import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { type Database, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { selectTombstonesAfter, type Tombstone } from "@cloud/service/references";

/** The local reference to a workspace. */
interface WorkspaceReference {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
}

const insertOrLock = statement<{ deleted_at: Date | null }>`
  insert into workspace_references as r (id, organization_id)
  values ($1, $2)
  on conflict (id) do update
  set organization_id = r.organization_id
  returning deleted_at`;

/** Inserts the reference if missing and locks it until `tx` ends. Returns false if it has a tombstone. */
export async function insertOrLockWorkspaceReference(
  tx: Tx,
  { id, organizationId }: WorkspaceReference,
): Promise<boolean> {
  // "do update" rather than "do nothing": it locks and returns an existing row.
  const { rows } = await tx.query(insertOrLock, [id, organizationId]);
  return rows[0]?.deleted_at === null;
}

const workspaceTombstoneUpdate = statement`
  update workspace_references
  set deleted_at = coalesce(deleted_at, now())
  where id = $1`;

/** Sets the tombstone of a workspace that has a reference here; an existing tombstone keeps its time. */
export async function setWorkspaceTombstone(tx: Tx, id: WorkspaceId): Promise<void> {
  await tx.query(workspaceTombstoneUpdate, [id]);
}

// In the order of ids: otherwise two consumers with some ids in common could deadlock.
const upsertTombstones = statement`
  insert into workspace_references as r (id, organization_id, deleted_at)
  select distinct on (id) id, organization_id, now()
  from unnest($1::uuid[], $2::uuid[]) as deleted (id, organization_id)
  order by id
  on conflict (id) do update
  set deleted_at = coalesce(r.deleted_at, excluded.deleted_at)`;

/** Sets tombstones, inserting references where there are none; the rows stay locked until `tx` ends. */
export async function upsertWorkspaceTombstones(tx: Tx, workspaces: readonly WorkspaceReference[]): Promise<void> {
  const ids = workspaces.map(({ id }) => id);
  const organizationIds = workspaces.map(({ organizationId }) => organizationId);
  await tx.query(upsertTombstones, [ids, organizationIds]);
}

/** Returns the next `limit` tombstones, in the order of ids, after `after` (empty for the first). */
export async function selectWorkspaceTombstonesAfter(db: Reader, after: string, limit: number): Promise<Tombstone[]> {
  return selectTombstonesAfter(db, sql`workspace_references`, after, limit);
}

const workspaceTombstoneClearing = statement`
  update workspace_references
  set deleted_at = null
  where id = $1 and xmin = $2::text::xid and deleted_at is not null`;

/** Clears a tombstone. Returns false if it was set again since it was read. */
export async function clearWorkspaceTombstone(db: Database, { id, version }: Tombstone): Promise<boolean> {
  return (await db.transaction((tx) => tx.query(workspaceTombstoneClearing, [id, version]))).rowCount === 1;
}
