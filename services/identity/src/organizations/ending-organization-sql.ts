import type { OrganizationId } from "@cloud/contract";
import { sql, statement, type Tx } from "@cloud/postgres";

/**
 * The condition that a column names no deleted organization that still has live teams, without the column. Not `<> all`:
 * Postgres expects that of an unknown array to exclude most rows, and read all 101,000 of a list.
 */
export const isNotEnding = sql`
  not in (
    select id
    from ending_organizations
  )`;

const endingOrganizationInsertion = statement`
  insert into ending_organizations (id)
  values ($1)
  on conflict do nothing`;

export async function insertEndingOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(endingOrganizationInsertion, [id]);
}

const endingOrganizationForUpdate = statement<{ id: OrganizationId }>`
  select id
  from ending_organizations
  order by id
  limit 1
  for update skip locked`;

/** Locks one that no other replica has locked, until `tx` ends. Returns undefined if there is none. */
export async function selectEndingOrganizationForUpdate(tx: Tx): Promise<OrganizationId | undefined> {
  return (await tx.query(endingOrganizationForUpdate)).rows[0]?.id;
}

const endingOrganizationDeletion = statement`
  delete from ending_organizations
  where id = $1`;

export async function deleteEndingOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(endingOrganizationDeletion, [id]);
}
