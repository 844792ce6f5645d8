import type { OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";

/** The part of a user that lists of members contain. */
export interface Person {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly avatar_url: string;
  readonly status: string;
}

/**
 * Returns the expression of a `Person`. The email is empty unless `viewer` may see it: the user themselves, Org Admins
 * of an organization of theirs and, where `viewer` is null, Provider Admins and services (as in get-user.ts).
 */
export const personOf = (user: SqlText, viewer: SqlText) => sql`
  (
    select json_build_object(
      'email', case when ${seesEmail(user, viewer)} then email else '' end,
      'first_name', first_name,
      'last_name', last_name,
      'avatar_url', avatar_url,
      'status', status
    )
    from users
    where users.id = ${user}
  )`;

const seesEmail = (user: SqlText, viewer: SqlText) => sql`
  ${viewer}::uuid is null or ${viewer} = ${user} or exists (
    select
    from memberships mine
    join memberships theirs using (organization_id)
    join organizations o on o.id = organization_id and o.deleted_at is null
    where mine.user_id = ${viewer} and mine.role_name = 'Org Admin' and theirs.user_id = ${user}
  )`;

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
  etag: string;
}

const columns = sql`
  id, email, first_name, last_name, avatar_url, status, created_at, updated_at, deleted_at, etag`;

export interface NewUser {
  readonly id: UserId;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly avatarUrl: string;
}

const insertOne = statement<UserRow>`
  insert into users (id, email, first_name, last_name, avatar_url)
  values ($1, $2, $3, $4, $5)
  returning ${columns}`;

const insertPreferences = statement`
  insert into preferences (user_id)
  values ($1)`;

/**
 * Inserts a user and their preferences. Violates `users_live_email` if a live user has the email, in any case of ASCII
 * letters.
 */
export async function insertUser(tx: Tx, user: NewUser): Promise<UserRow> {
  const { id, email, firstName, lastName, avatarUrl } = user;
  const result = await tx.query(insertOne, [id, email, firstName, lastName, avatarUrl]);
  await tx.query(insertPreferences, [id]);
  return oneRow(result);
}

const selectById = statement<UserRow>`
  select ${columns}
  from users
  where id = $1 and deleted_at is null`;

/** Returns the live user without a lock; undefined if they are not live. */
export async function selectUser(db: Reader, id: UserId): Promise<UserRow | undefined> {
  return (await db.read(selectById, [id])).rows[0];
}

/** The relation of a user to another one by the live organizations that both are members of. */
export type Relation = "none" | "member" | "Org Admin";

const relation = statement<{ administers: boolean | null }>`
  select bool_or(mine.role_name = 'Org Admin') as administers
  from memberships mine
  join memberships theirs using (organization_id)
  join organizations o on o.id = organization_id and o.deleted_at is null
  where mine.user_id = $1 and theirs.user_id = $2`;

/** Returns the relation of `viewerId` to `userId`: Org Admin if they are one in any organization of both. */
export async function selectRelation(db: Reader, viewerId: UserId, userId: UserId): Promise<Relation> {
  const { administers } = oneRow(await db.read(relation, [viewerId, userId]));
  if (administers === null) {
    return "none";
  }
  return administers ? "Org Admin" : "member";
}

export interface OrganizationWithRolesRow {
  id: OrganizationId;
  name: string;
  role_names: string[];
}

const organizationsWithRoles = statement<OrganizationWithRolesRow>`
  select o.id, o.name, array_agg(m.role_name order by r.position) as role_names
  from memberships m
  join roles r on r.name = m.role_name
  join organizations o on o.id = m.organization_id and o.deleted_at is null
  where m.user_id = $1
  group by o.id, o.name
  order by o.name collate "und-x-icu", o.id`;

/** Returns the live organizations in which a user has roles, ordered by name; the roles are ordered lowest first. */
export async function selectOrganizationsWithRoles(db: Reader, userId: UserId): Promise<OrganizationWithRolesRow[]> {
  const { rows } = await db.read(organizationsWithRoles, [userId]);
  return rows;
}
