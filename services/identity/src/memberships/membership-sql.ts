import type { OrganizationId, TeamId, UserId } from "@cloud/contract";
import { type Sql, sql, type Tx } from "@cloud/postgres";
import type { RoleName } from "./role-rules.ts";

/** Returns the roles of a user in an organization, lowest first; an empty list if they are not a member. */
export async function selectRoleNames(db: Sql, organizationId: OrganizationId, userId: UserId): Promise<RoleName[]> {
  const { rows } = await db.query<{ role_name: RoleName }>(
    sql`
      select m.role_name
      from memberships m
      join roles r on r.name = m.role_name
      where m.organization_id = $1 and m.user_id = $2
      order by r.position`,
    [organizationId, userId],
  );
  return rows.map((row) => row.role_name);
}

/** Returns whether a live user with the email, in any case of ASCII letters, has a role in the organization. */
export async function selectIsMemberByEmail(db: Sql, organizationId: OrganizationId, email: string): Promise<boolean> {
  const text = sql`
    select 1
    from users u
    join memberships m on m.user_id = u.id and m.organization_id = $1
    where email_key(u.email) = email_key($2) and u.deleted_at is null
    limit 1`;
  return (await db.query(text, [organizationId, email])).rowCount === 1;
}

/** Returns whether the user is a member of the live organization: by a role there, or as a Provider Admin anywhere. */
export async function selectIsMember(db: Sql, organizationId: OrganizationId, userId: UserId): Promise<boolean> {
  const text = sql`
    select 1
    from organizations o
    where o.id = $1 and o.deleted_at is null and exists (
      select 1
      from memberships m
      join organizations mo on mo.id = m.organization_id and mo.deleted_at is null
      where m.user_id = $2 and (m.organization_id = o.id or m.role_name = 'Provider Admin')
    )`;
  return (await db.query(text, [organizationId, userId])).rowCount === 1;
}

/** Sets the user's roles in the organization to exactly these. */
export async function replaceRoles(
  tx: Tx,
  organizationId: OrganizationId,
  userId: UserId,
  roles: readonly RoleName[],
): Promise<void> {
  // Given first, so that a member who keeps none of the roles stays a member, since when they were one.
  await tx.query(
    sql`
      insert into memberships (organization_id, user_id, role_name)
      select $1, $2, unnest($3::text[])
      on conflict do nothing`,
    [organizationId, userId, roles],
  );
  await tx.query(
    sql`
      delete from memberships
      where organization_id = $1 and user_id = $2 and role_name <> all($3::text[])`,
    [organizationId, userId, roles],
  );
}

/** Deletes a user's roles in an organization, and their memberships of its teams; returns the ids of those. */
export async function deleteMember(tx: Tx, organizationId: OrganizationId, userId: UserId): Promise<TeamId[]> {
  await tx.query(
    sql`
      delete from memberships
      where organization_id = $1 and user_id = $2`,
    [organizationId, userId],
  );
  const { rows } = await tx.query<{ team_id: TeamId }>(
    sql`
      delete from team_members
      where user_id = $2 and team_id in (
        select id
        from teams
        where organization_id = $1
      )
      returning team_id`,
    [organizationId, userId],
  );
  return rows.map((row) => row.team_id).toSorted();
}

/** Deletes the roles of all members of an organization. */
export async function deleteMemberships(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query(
    sql`
      delete from memberships
      where organization_id = $1`,
    [organizationId],
  );
}
