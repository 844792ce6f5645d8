import type { OrganizationId, UserId } from "@cloud/contract";
import { oneRow, type Reader, statement, type Tx } from "@cloud/postgres";
import type { AdminRoles } from "./role-rules.ts";

const providerAdminsLock = statement`select pg_advisory_xact_lock(hashtextextended('identity: Provider Admins', 0))`;

/**
 * Locks the Provider Admins of the system until `tx` ends, against each other: organizations have a lock each, and two of
 * them could lose the last two Provider Admins concurrently. Giving the role needs no lock. An advisory lock, because the
 * program may not lock the row of the role: its rights on `roles` are those to read.
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
