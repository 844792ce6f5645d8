import { type Page, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { ListParameters, OrganizationId, UserId } from "@cloud/rpc";

export interface OrganizationRow {
  id: OrganizationId;
  name: string;
  description: string;
  owner: UserId | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

const COLUMNS = "id, name, description, owner, created_at, updated_at, deleted_at";

export interface NewOrganization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: UserId | null;
}

export async function insertOrganization(tx: Tx, organization: NewOrganization): Promise<OrganizationRow> {
  const { rows } = await tx.query<OrganizationRow>(
    "insert into organizations (id, name, description, owner) values ($1, $2, $3, $4) returning " + COLUMNS,
    [organization.id, organization.name, organization.description, organization.owner],
  );
  return rows[0] as OrganizationRow;
}

export async function selectLiveOrganization(sql: Sql, id: OrganizationId): Promise<OrganizationRow | undefined> {
  return (await selectLiveOrganizations(sql, [id]))[0];
}

export async function selectLiveOrganizations(sql: Sql, ids: readonly string[]): Promise<OrganizationRow[]> {
  const text = "select " + COLUMNS + " from organizations where id = any($1::uuid[]) and deleted_at is null";
  return (await sql.query<OrganizationRow>(text, [ids])).rows;
}

export async function selectLiveOrganizationIds(sql: Sql): Promise<OrganizationId[]> {
  const text = "select id from organizations where deleted_at is null order by id";
  return (await sql.query<{ id: OrganizationId }>(text)).rows.map((row) => row.id);
}

/** The live organizations of a user, or all. */
export function selectOrganizationPage(
  sql: Sql,
  of: UserId | "all",
  list: ListParameters,
): Promise<Page<OrganizationRow>> {
  const mine = "id in (select organization_id from memberships where user_id = $1)";
  return selectPage<OrganizationRow>(sql, {
    columns: COLUMNS,
    from: "organizations",
    where: of === "all" ? "deleted_at is null" : "deleted_at is null and " + mine,
    params: of === "all" ? [] : [of],
    searchColumns: ["name", "description"],
    ...list,
  });
}

/** Locks a live organization against every change of who belongs to it. False when it is not live. */
export async function selectOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<boolean> {
  // "no key": rows that refer to the organization by foreign key need not wait.
  const text = "select 1 from organizations where id = $1 and deleted_at is null for no key update";
  return (await tx.query(text, [id])).rowCount === 1;
}

/** Keeps an organization live, and its members members, until the transaction ends. False when it is not live. */
export async function selectOrganizationForShare(tx: Tx, id: OrganizationId): Promise<boolean> {
  const text = "select 1 from organizations where id = $1 and deleted_at is null for share";
  return (await tx.query(text, [id])).rowCount === 1;
}

/** Ends a live organization and its teams; its members and what they selected there are other functions' work. */
export async function tombstoneOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query("update organizations set deleted_at = now(), updated_at = now() where id = $1", [id]);
  await tx.query(
    "delete from team_members where team_id in (select id from teams where organization_id = $1 and deleted_at is null)",
    [id],
  );
  await tx.query(
    "update teams set deleted_at = now(), updated_at = now() where organization_id = $1 and deleted_at is null",
    [id],
  );
}
