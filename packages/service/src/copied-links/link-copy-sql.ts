import type { OrganizationId, WorkspaceId } from "@cloud/contract";
import { oneRow, type Sql, type SqlText, sql, type Tx } from "@cloud/postgres";
import type { LinkState } from "./workspace-links.ts";

export interface LinkCopyRow {
  readonly links: string;
  readonly hash: string;
  readonly position: string;
}

/** The records of a service that are linked to workspaces: a table with `id`, `organization_id` and `deleted_at`. */
export type RecordTable = SqlText;

/**
 * A look-up by id for each link. As conditions of a join, the others made Postgres find the records by organization,
 * for each link, because statistics lagged behind: 20,000 links took more than 30 s.
 */
const isLive = (records: RecordTable, organizationId: SqlText) => sql`
  (
    select organization_id = ${organizationId} and deleted_at is null
    from ${records}
    where id = record_id
  )`;

/** Returns the copy, and whether no call has used it for a day; undefined if there is none. */
export async function selectLinkCopy(db: Sql, workspaceId: WorkspaceId) {
  const text = sql`
    select links, hash, position, used_at < now() - interval '1 day' as is_unused
    from link_copies
    where workspace_id = $1`;
  return (await db.query<LinkCopyRow & { is_unused: boolean }>(text, [workspaceId])).rows[0];
}

/** Records that the copy is in use, which keeps it from deletion; returns whether it still exists. */
export async function touchLinkCopy(db: Sql, workspaceId: WorkspaceId): Promise<boolean> {
  const text = sql`
    update link_copies
    set used_at = now()
    where workspace_id = $1`;
  return (await db.query(text, [workspaceId])).rowCount === 1;
}

/** Locks the organization's copies against deletions of its records, until `tx` ends (migrations/0005_copied_links.sql). */
export function lockCopiesOf(tx: Tx, organizationId: OrganizationId): void {
  tx.queue(sql`select pg_advisory_xact_lock('link_copies'::regclass::oid::integer, hashtext($1::uuid::text))`, [
    organizationId,
  ]);
}

/** Inserts an empty copy if there is none, and locks it until `tx` ends. */
export async function upsertLinkCopy(tx: Tx, workspaceId: WorkspaceId, organizationId: OrganizationId) {
  const text = sql`
    insert into link_copies (workspace_id, organization_id)
    values ($1, $2)
    on conflict (workspace_id) do update
    set used_at = case when link_copies.used_at < now() - interval '1 day' then now() else link_copies.used_at end
    returning links, hash, position`;
  return oneRow(await tx.query<LinkCopyRow & Record<string, unknown>>(text, [workspaceId, organizationId]));
}

/** Applies changes to the copy, and returns what it is then. */
export async function changeLinkCopy(
  tx: Tx,
  records: RecordTable,
  organizationId: OrganizationId,
  { workspaceId, position }: LinkState,
  { linked, unlinked }: { readonly linked: Uint8Array; readonly unlinked: Uint8Array },
): Promise<LinkCopyRow> {
  const text = sql`
    with removed as (
      delete from copied_links
      where workspace_id = $1 and record_id = any(array(select unpacked_ids($4)))
      returning record_id
    ), added as (
      insert into copied_links (workspace_id, record_id)
      select $1, unpacked_ids($3)
      on conflict do nothing
      returning record_id
    ), changed as (
      select record_id, 1 as change
      from added
      union all
      select record_id, -1
      from removed
    ), counted as (
      select coalesce(sum(change), 0) as links, coalesce(sum(change * link_hash(record_id)), 0) as hash,
        coalesce(sum(change) filter (where ${isLive(records, sql`$5`)}), 0) as live_links
      from changed
    )
    update link_copies
    set position = $2, links = link_copies.links + counted.links, hash = link_copies.hash + counted.hash,
      live_links = link_copies.live_links + counted.live_links
    from counted
    where workspace_id = $1
    returning link_copies.links, link_copies.hash, position`;
  const values = [workspaceId, position, Buffer.from(linked), Buffer.from(unlinked), organizationId];
  return oneRow(await tx.query<LinkCopyRow & Record<string, unknown>>(text, values));
}

/** Deletes the links of the copy that are not among `ids`. */
export async function deleteOtherCopiedLinks(tx: Tx, workspaceId: WorkspaceId, ids: Uint8Array): Promise<void> {
  const text = sql`
    delete from copied_links
    where workspace_id = $1 and record_id not in (select unpacked_ids($2))`;
  await tx.query(text, [workspaceId, Buffer.from(ids)]);
}

/** Inserts links into a copy that is being replaced: with -1 links it is that of no workspace. */
export async function insertCopiedLinks(tx: Tx, workspaceId: WorkspaceId, ids: Uint8Array): Promise<void> {
  const text = sql`
    with replaced as (
      update link_copies
      set links = -1
      where workspace_id = $1
    )
    insert into copied_links (workspace_id, record_id)
    select $1, unpacked_ids($2)
    on conflict do nothing`;
  await tx.query(text, [workspaceId, Buffer.from(ids)]);
}

/** Counts the links of a copy that has been replaced, and returns what it is then. */
export async function recountLinkCopy(
  tx: Tx,
  records: RecordTable,
  organizationId: OrganizationId,
  { workspaceId, position }: LinkState,
): Promise<LinkCopyRow> {
  const text = sql`
    with counted as (
      select count(*) as links, coalesce(sum(link_hash(record_id)), 0) as hash, 
        count(*) filter (where ${isLive(records, sql`$3`)}) as live_links
      from copied_links
      where workspace_id = $1
    )
    update link_copies
    set position = $2, links = counted.links, hash = counted.hash, live_links = counted.live_links
    from counted
    where workspace_id = $1
    returning link_copies.links, link_copies.hash, position`;
  return oneRow(await tx.query<LinkCopyRow & Record<string, unknown>>(text, [workspaceId, position, organizationId]));
}
