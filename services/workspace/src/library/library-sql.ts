import type { Sql, Tx } from "@cloud/postgres";
import { oneRow } from "@cloud/postgres";
import type { Id, OrganizationId, Visibility } from "@cloud/rpc";
import type { LibraryKind } from "./library-kind.ts";

/** A design or a view. */
export interface ItemRow {
  id: Id;
  organization_id: OrganizationId;
  name: string;
  description: string;
  owner: string;
  visibility: Visibility;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface NewItem {
  readonly id: Id;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  readonly visibility: Visibility;
}

/** Undefined fields stay as they are. */
export interface ItemChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly visibility: Visibility | undefined;
}

export const itemColumns =
  "id, organization_id, name, description, owner, visibility, created_at, updated_at, deleted_at";

const selectLive = ({ table }: LibraryKind) =>
  "select " + itemColumns + " from " + table + " where id = $1 and deleted_at is null";

export async function selectItem(sql: Sql, kind: LibraryKind, id: Id): Promise<ItemRow | undefined> {
  return (await sql.query<ItemRow>(selectLive(kind), [id])).rows[0];
}

/** Keeps the item live and where it is until the end of `tx`, and lets others do the same. */
export async function selectItemForShare(tx: Tx, kind: LibraryKind, id: Id): Promise<ItemRow | undefined> {
  return (await tx.query<ItemRow>(selectLive(kind) + " for share", [id])).rows[0];
}

/** Keeps everybody else who locks the item waiting until the end of `tx`. */
export async function selectItemForUpdate(tx: Tx, kind: LibraryKind, id: Id): Promise<ItemRow | undefined> {
  return (await tx.query<ItemRow>(selectLive(kind) + " for update", [id])).rows[0];
}

export async function insertItem(tx: Tx, { table }: LibraryKind, item: NewItem): Promise<ItemRow> {
  const { id, organizationId, name, description, owner, visibility } = item;
  const result = await tx.query<ItemRow>(
    "insert into " +
      table +
      " (id, organization_id, name, description, owner, visibility) values ($1, $2, $3, $4, $5, $6) returning " +
      itemColumns,
    [id, organizationId, name, description, owner, visibility],
  );
  return oneRow(result);
}

/** Undefined when the item is not live. */
export async function updateItemFields(
  tx: Tx,
  { table }: LibraryKind,
  id: Id,
  { name, description, visibility }: ItemChanges,
): Promise<ItemRow | undefined> {
  const result = await tx.query<ItemRow>(
    "update " +
      table +
      " set name = coalesce($2, name), description = coalesce($3, description), " +
      "visibility = coalesce($4, visibility), updated_at = now() where id = $1 and deleted_at is null returning " +
      itemColumns,
    [id, name ?? null, description ?? null, visibility ?? null],
  );
  return result.rows[0];
}

export async function moveItem(tx: Tx, { table }: LibraryKind, id: Id, organizationId: OrganizationId): Promise<void> {
  await tx.query("update " + table + " set organization_id = $2, updated_at = now() where id = $1", [
    id,
    organizationId,
  ]);
}

export async function softDeleteItem(tx: Tx, { table }: LibraryKind, id: Id): Promise<void> {
  await tx.query("update " + table + " set deleted_at = now() where id = $1 and deleted_at is null", [id]);
}

/** Soft-deletes every live item of the organization. */
export async function softDeleteItemsOf(tx: Tx, { table }: LibraryKind, organizationId: OrganizationId): Promise<void> {
  await tx.query("update " + table + " set deleted_at = now() where organization_id = $1 and deleted_at is null", [
    organizationId,
  ]);
}
