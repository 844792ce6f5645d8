import type { RequiredTags } from "@cloud/access";
import type { ListParameters } from "@cloud/access/lists";
import type { NameChanges, OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { endedNow, hasTag, liveRecords, type RecordRow, writeTime } from "@cloud/service/records";

export interface OrganizationRow extends Omit<RecordRow<OrganizationId>, "organization_id"> {
  owner: UserId | null;
}

const columns = sql`id, name, description, owner, created_at, updated_at, deleted_at, etag`;

/** Reads of organizations. A share lock keeps the organization live, and its members in it. */
export const {
  select: selectOrganization,
  selectMany: selectOrganizations,
  selectForShare: selectOrganizationForShare,
} = liveRecords<OrganizationRow>(sql`organizations`, columns);

export interface NewOrganization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: UserId | null;
}

const organizationInsertion = statement<OrganizationRow>`
  insert into organizations (id, name, description, owner)
  values ($1, $2, $3, $4)
  returning ${columns}`;

export async function insertOrganization(tx: Tx, organization: NewOrganization): Promise<OrganizationRow> {
  const { id, name, description, owner } = organization;
  const result = await tx.query(organizationInsertion, [id, name, description, owner]);
  return oneRow(result);
}

const liveOrganizationIds = statement<{ id: OrganizationId }>`
  select id
  from organizations
  where deleted_at is null
  order by id`;

export async function selectLiveOrganizationIds(db: Reader): Promise<OrganizationId[]> {
  return (await db.read(liveOrganizationIds)).rows.map((row) => row.id);
}

/** Returns a page of the live organizations in which a user has a role, or of all. */
export function selectOrganizationsOf(
  db: Reader,
  scope: "all" | UserId,
  query: ListParameters,
): Promise<Page<OrganizationRow>> {
  const mine = sql`
    id in (
      select organization_id
      from memberships
      where user_id = $1
    )`;
  return selectPage<OrganizationRow>(db, {
    columns,
    from: sql`organizations`,
    where: scope === "all" ? sql`deleted_at is null` : sql`deleted_at is null and ${mine}`,
    params: scope === "all" ? [] : [scope],
    searchColumns: [sql`name`, sql`description`],
    ...query,
  });
}

// "no key": inserts of rows that reference the organization by foreign key need not wait.
const organizationForUpdate = statement<OrganizationRow>`
  select ${columns}
  from organizations
  where id = $1 and deleted_at is null
  for no key update`;

/**
 * Locks the row FOR NO KEY UPDATE until `tx` ends, against every change of the organization's members. Returns
 * undefined if the organization is not live.
 */
export async function selectOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<OrganizationRow | undefined> {
  return (await tx.query(organizationForUpdate, [id])).rows[0];
}

const organizationFieldsUpdate = statement<OrganizationRow>`
  update organizations
  set name = coalesce($2, name), description = coalesce($3, description), updated_at = ${writeTime}
  where id = $1 and deleted_at is null and ${hasTag(4)}
  returning ${columns}`;

/** Updates a live organization and locks it FOR NO KEY UPDATE until `tx` ends; returns undefined if it is not live. */
export async function updateOrganizationFields(
  tx: Tx,
  id: OrganizationId,
  { name, description }: NameChanges,
  tags: RequiredTags,
): Promise<OrganizationRow | undefined> {
  const { rows } = await tx.query(organizationFieldsUpdate, [id, name ?? null, description ?? null, tags]);
  return rows[0];
}

const organizationDeletion = statement`
  update organizations
  set ${endedNow(sql`deleted_at`)}
  where id = $1`;

/** Soft-deletes a live organization, but not the records in it. */
export async function softDeleteOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(organizationDeletion, [id]);
}
