import type { OrganizationId, TeamId, UserId } from "@cloud/contract";
import { type Reader, statement, type Tx } from "@cloud/postgres";
import type { RoleName } from "./role-rules.ts";

const roleNames = statement<{ role_name: RoleName }>`
  select m.role_name
  from memberships m
  join roles r on r.name = m.role_name
  where m.organization_id = $1 and m.user_id = $2
  order by r.position`;

/** Returns the roles of a user in an organization, lowest first; an empty list if they are not a member. */
export async function selectRoleNames(db: Reader, organizationId: OrganizationId, userId: UserId): Promise<RoleName[]> {
  const { rows } = await db.read(roleNames, [organizationId, userId]);
  return rows.map((row) => row.role_name);
}

const isMemberByEmail = statement`
  select 1
  from users u
  join memberships m on m.user_id = u.id and m.organization_id = $1
  where email_key(u.email) = email_key($2) and u.deleted_at is null
  limit 1`;

/** Returns whether a live user with the email, in any case of ASCII letters, has a role in the organization. */
export async function selectIsMemberByEmail(
  db: Reader,
  organizationId: OrganizationId,
  email: string,
): Promise<boolean> {
  return (await db.read(isMemberByEmail, [organizationId, email])).rowCount === 1;
}

const isMember = statement`
  select 1
  from organizations o
  where o.id = $1 and o.deleted_at is null and exists (
    select 1
    from memberships m
    join organizations mo on mo.id = m.organization_id and mo.deleted_at is null
    where m.user_id = $2 and (m.organization_id = o.id or m.role_name = 'Provider Admin')
  )`;

/** Returns whether the user is a member of the live organization: by a role there, or as a Provider Admin anywhere. */
export async function selectIsMember(db: Reader, organizationId: OrganizationId, userId: UserId): Promise<boolean> {
  return (await db.read(isMember, [organizationId, userId])).rowCount === 1;
}

const insertRoles = statement`
  insert into memberships (organization_id, user_id, role_name)
  select $1, $2, unnest($3::text[])
  on conflict do nothing`;

const deleteOtherRoles = statement`
  delete from memberships
  where organization_id = $1 and user_id = $2 and role_name <> all($3::text[])`;

/** Sets the user's roles in the organization to exactly these. */
export async function replaceRoles(
  tx: Tx,
  organizationId: OrganizationId,
  userId: UserId,
  roles: readonly RoleName[],
): Promise<void> {
  // Given first, so that a member who keeps none of the roles stays a member, since when they were one.
  await tx.query(insertRoles, [organizationId, userId, roles]);
  await tx.query(deleteOtherRoles, [organizationId, userId, roles]);
}

const deleteRoles = statement`
  delete from memberships
  where organization_id = $1 and user_id = $2`;

const deleteFromTeams = statement<{ team_id: TeamId }>`
  delete from team_members
  where user_id = $2 and team_id in (
    select id
    from teams
    where organization_id = $1
  )
  returning team_id`;

/** Deletes a user's roles in an organization, and their memberships of its teams; returns the ids of those. */
export async function deleteMember(tx: Tx, organizationId: OrganizationId, userId: UserId): Promise<TeamId[]> {
  await tx.query(deleteRoles, [organizationId, userId]);
  const { rows } = await tx.query(deleteFromTeams, [organizationId, userId]);
  return rows.map((row) => row.team_id).toSorted();
}

const membershipsDeletion = statement`
  delete from memberships
  where organization_id = $1`;

/** Deletes the roles of all members of an organization. */
export async function deleteMemberships(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query(membershipsDeletion, [organizationId]);
}
