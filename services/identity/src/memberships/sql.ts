import type { OrganizationId, TeamId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, statement, type Tx } from "@cloud/postgres";
import type { AdminRoles, RoleName } from "./rules.ts";

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

/** Sets the user's roles in the organization to exactly `roles`. */
export async function replaceRoles(
  tx: Tx,
  organizationId: OrganizationId,
  userId: UserId,
  roles: readonly RoleName[],
): Promise<void> {
  // Inserts first, so that a member who keeps no role stays a member and keeps the time at which they became one.
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

/** Deletes a user's roles in an organization, and their memberships of its teams; returns the ids of the teams. */
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

const providerAdminsLock = statement`select pg_advisory_xact_lock(hashtextextended('identity: Provider Admins', 0))`;

/**
 * Locks the Provider Admins of the system until `tx` ends: organizations have a lock each, and two of them could lose
 * the last two Provider Admins concurrently. Giving the role needs no lock. It is an advisory lock, because the program
 * may only read `roles`, and not lock the row of the role.
 */
export async function lockProviderAdmins(tx: Tx): Promise<void> {
  await tx.query(providerAdminsLock);
}

const adminRoles = statement<{ is_org_admin: boolean; is_provider_admin: boolean }>`
  select coalesce(bool_or(m.organization_id = $1 and m.role_name = 'Org Admin'), false) as is_org_admin,
    coalesce(bool_or(m.role_name = 'Provider Admin'), false) as is_provider_admin
  from memberships m
  join organizations o on o.id = m.organization_id and o.deleted_at is null
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.user_id = $2`;

/** Returns whether the live user is an Org Admin of the organization, and whether a Provider Admin by any live one. */
export async function selectAdminRoles(
  db: Reader,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<AdminRoles> {
  const result = await db.read(adminRoles, [organizationId, userId]);
  const { is_org_admin: isOrgAdmin, is_provider_admin: isProviderAdmin } = oneRow(result);
  return { isOrgAdmin, isProviderAdmin };
}

const otherOrgAdminExists = statement`
  select 1
  from memberships m
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.organization_id = $1 and m.role_name = 'Org Admin' and m.user_id <> $2
  limit 1`;

/** Returns whether the organization has a live Org Admin other than the user. */
export async function selectOtherOrgAdminExists(
  db: Reader,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<boolean> {
  return (await db.read(otherOrgAdminExists, [organizationId, userId])).rowCount === 1;
}

const hasProviderAdmin = statement`
  select 1
  from memberships
  where organization_id = $1 and role_name = 'Provider Admin'
  limit 1`;

/** Returns whether any member of the organization is a Provider Admin by a role there. */
export async function selectHasProviderAdmin(db: Reader, organizationId: OrganizationId): Promise<boolean> {
  return (await db.read(hasProviderAdmin, [organizationId])).rowCount === 1;
}

const otherProviderAdminExists = statement`
  select 1
  from memberships m
  join organizations o on o.id = m.organization_id and o.deleted_at is null
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.role_name = 'Provider Admin'
    and (m.organization_id <> $1 or ($2::uuid is not null and m.user_id <> $2))
  limit 1`;

/**
 * Returns whether a live user is a Provider Admin by a role in any live organization, other than by the user's role in
 * this organization, or other than by any role in it if no user is given.
 */
export async function selectOtherProviderAdminExists(
  db: Reader,
  organizationId: OrganizationId,
  userId?: UserId,
): Promise<boolean> {
  return (await db.read(otherProviderAdminExists, [organizationId, userId ?? null])).rowCount === 1;
}
