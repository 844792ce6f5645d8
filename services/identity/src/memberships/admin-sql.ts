import type { OrganizationId, UserId } from "@cloud/contract";
import { oneRow, type Sql, sql, type Tx } from "@cloud/postgres";
import type { AdminRoles } from "./role-rules.ts";

/**
 * Locks the Provider Admins of the system until `tx` ends, against each other: organizations have a lock each, and two of
 * them could lose the last two Provider Admins concurrently. Giving the role needs no lock. An advisory lock, because the
 * program may not lock the row of the role: its rights on `roles` are those to read.
 */
export async function lockProviderAdmins(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('identity: Provider Admins', 0))`);
}

/** Returns whether the live user is an Org Admin of the organization, and whether a Provider Admin by any live one. */
export async function selectAdminRoles(db: Sql, organizationId: OrganizationId, userId: UserId): Promise<AdminRoles> {
  const text = sql`
    select coalesce(bool_or(m.organization_id = $1 and m.role_name = 'Org Admin'), false) as is_org_admin,
      coalesce(bool_or(m.role_name = 'Provider Admin'), false) as is_provider_admin
    from memberships m
    join organizations o on o.id = m.organization_id and o.deleted_at is null
    join users u on u.id = m.user_id and u.deleted_at is null
    where m.user_id = $2`;
  const result = await db.query<{ is_org_admin: boolean; is_provider_admin: boolean }>(text, [organizationId, userId]);
  const { is_org_admin: isOrgAdmin, is_provider_admin: isProviderAdmin } = oneRow(result);
  return { isOrgAdmin, isProviderAdmin };
}

/** Returns whether the organization has a live Org Admin other than the user. */
export async function selectOtherOrgAdminExists(
  db: Sql,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<boolean> {
  const text = sql`
    select 1
    from memberships m
    join users u on u.id = m.user_id and u.deleted_at is null
    where m.organization_id = $1 and m.role_name = 'Org Admin' and m.user_id <> $2
    limit 1`;
  return (await db.query(text, [organizationId, userId])).rowCount === 1;
}

/** Returns whether any member of the organization is a Provider Admin by a role there. */
export async function selectHasProviderAdmin(db: Sql, organizationId: OrganizationId): Promise<boolean> {
  const text = sql`
    select 1
    from memberships
    where organization_id = $1 and role_name = 'Provider Admin'
    limit 1`;
  return (await db.query(text, [organizationId])).rowCount === 1;
}

/**
 * Returns whether a live user is a Provider Admin by a role in any live organization, other than by the user's role in
 * this organization, or other than by any role in it if no user is given.
 */
export async function selectOtherProviderAdminExists(
  db: Sql,
  organizationId: OrganizationId,
  userId?: UserId,
): Promise<boolean> {
  const text = sql`
    select 1
    from memberships m
    join organizations o on o.id = m.organization_id and o.deleted_at is null
    join users u on u.id = m.user_id and u.deleted_at is null
    where m.role_name = 'Provider Admin'
      and (m.organization_id <> $1 or ($2::uuid is not null and m.user_id <> $2))
    limit 1`;
  return (await db.query(text, [organizationId, userId ?? null])).rowCount === 1;
}
