import type { RequiredTags } from "@cloud/access";
import type { Visibility } from "@cloud/access/lists";
import type { Id, NameChanges, OrganizationId } from "@cloud/access/values";
import { oneRow, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { hasTag, liveRecords, type RecordRow, softDeletes, writeTime } from "@cloud/service/records";

/** A design or a view. */
export interface ItemRow extends RecordRow<Id> {
  owner: string;
  visibility: Visibility;
}

interface NewItem {
  readonly id: Id;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  readonly visibility: Visibility;
}

/** The changes of an update; undefined fields are not changed. */
type ItemChanges = NameChanges & { readonly visibility: Visibility | undefined };

export const itemColumns = sql`
  id, organization_id, name, description, owner, visibility, created_at, updated_at, deleted_at, etag`;

/** Returns the reads and the deletions of a kind's records. */
const recordsOf = (table: SqlText) => ({ ...liveRecords<ItemRow>(table, itemColumns), ...softDeletes<Id>(table) });

/** A kind of item in the library of an organization: designs or views, which differ in these fields. */
export interface ItemType extends ReturnType<typeof recordsOf> {
  readonly name: "design" | "view";
  readonly table: SqlText;
  readonly notFound: Reason;
}

export const designs: ItemType = {
  name: "design",
  table: sql`designs`,
  notFound: Reason.DESIGN_NOT_FOUND,
  ...recordsOf(sql`designs`),
};

export const views: ItemType = {
  name: "view",
  table: sql`views`,
  notFound: Reason.VIEW_NOT_FOUND,
  ...recordsOf(sql`views`),
};

export async function insertItem(tx: Tx, { table }: ItemType, item: NewItem): Promise<ItemRow> {
  const { id, organizationId, name, description, owner, visibility } = item;
  const result = await tx.query(
    statement<ItemRow>`
      insert into ${table} (id, organization_id, name, description, owner, visibility)
      values ($1, $2, $3, $4, $5, $6)
      returning ${itemColumns}`,
    [id, organizationId, name, description, owner, visibility],
  );
  return oneRow(result);
}

/** Updates a live item; returns undefined when it is not live, or has none of the tags. */
export async function updateItemFields(
  tx: Tx,
  { table }: ItemType,
  id: Id,
  { name, description, visibility }: ItemChanges,
  tags: RequiredTags,
): Promise<ItemRow | undefined> {
  const result = await tx.query(
    statement<ItemRow>`
      update ${table}
      set name = coalesce($2, name),
        description = coalesce($3, description),
        visibility = coalesce($4, visibility),
        updated_at = ${writeTime}
      where id = $1 and deleted_at is null and ${hasTag(5)}
      returning ${itemColumns}`,
    [id, name ?? null, description ?? null, visibility ?? null, tags],
  );
  return result.rows[0];
}

/** Moves the item to another organization. The caller holds its lock FOR UPDATE. */
export async function moveItem(tx: Tx, { table }: ItemType, id: Id, organizationId: OrganizationId): Promise<void> {
  await tx.query(
    statement`
      update ${table}
      set organization_id = $2, updated_at = ${writeTime}
      where id = $1`,
    [id, organizationId],
  );
}
