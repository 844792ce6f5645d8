import type { Sql, Tx } from "@cloud/postgres";
import type { OrganizationId, UserId } from "@cloud/rpc";

export interface UserRow {
  id: UserId;
  email: string;
  first_name: string;
  last_name: string;
  avatar_url: string;
  status: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

const COLUMNS = "id, email, first_name, last_name, avatar_url, status, created_at, updated_at, deleted_at";

export interface NewUser {
  readonly id: UserId;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly avatarUrl: string;
}

/** Violates the unique index `users_live_email` when a live user has the email, in whatever case. */
export async function insertUser(tx: Tx, user: NewUser): Promise<UserRow> {
  const { rows } = await tx.query<UserRow>(
    "insert into users (id, email, first_name, last_name, avatar_url) values ($1, $2, $3, $4, $5) returning " + COLUMNS,
    [user.id, user.email, user.firstName, user.lastName, user.avatarUrl],
  );
  await tx.query("insert into preferences (user_id) values ($1)", [user.id]);
  return rows[0] as UserRow;
}

export async function selectLiveUser(sql: Sql, id: UserId): Promise<UserRow | undefined> {
  const text = "select " + COLUMNS + " from users where id = $1 and deleted_at is null";
  return (await sql.query<UserRow>(text, [id])).rows[0];
}

/** Whether two users are members of one live organization. */
export async function selectSharesOrganization(sql: Sql, one: UserId, other: UserId): Promise<boolean> {
  const text =
    "select 1 from memberships a join memberships b using (organization_id)" +
    " join organizations o on o.id = organization_id and o.deleted_at is null" +
    " where a.user_id = $1 and b.user_id = $2 limit 1";
  return (await sql.query(text, [one, other])).rowCount === 1;
}

export interface OrganizationWithRolesRow {
  id: OrganizationId;
  name: string;
  role_names: string[];
}

/** The live organizations that a user is an explicit member of, by name, with the roles there, lowest first. */
export async function selectOrganizationsWithRoles(sql: Sql, user: UserId): Promise<OrganizationWithRolesRow[]> {
  const { rows } = await sql.query<OrganizationWithRolesRow>(
    "select o.id, o.name, array_agg(m.role_name order by r.position) as role_names" +
      " from memberships m join roles r on r.name = m.role_name" +
      " join organizations o on o.id = m.organization_id and o.deleted_at is null" +
      " where m.user_id = $1 group by o.id, o.name order by o.name, o.id",
    [user],
  );
  return rows;
}
