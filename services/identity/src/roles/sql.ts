import type { OrganizationId, UserId } from "@cloud/access/values";
import { type Reader, statement } from "@cloud/postgres";
import type { RoleName } from "../memberships/rules.ts";

interface RoleRow {
  name: RoleName;
  /** The names of the role's permission keys, sorted. */
  keys: string[];
}

const roles = statement<RoleRow>`
  select r.name,
    array(
      select rp.permission_name
      from role_permissions rp
      where rp.role_name = r.name
      order by rp.permission_name collate "und-x-icu"
    ) as keys
  from roles r
  order by r.position`;

/** Returns the roles, lowest first. */
export async function selectRoles(db: Reader): Promise<RoleRow[]> {
  return (await db.read(roles)).rows;
}

const namesOfKeys = statement<{ name: string }>`
  select name
  from permissions
  order by name collate "und-x-icu"`;

/** Returns the names of all permission keys, sorted. */
export async function selectKeys(db: Reader): Promise<string[]> {
  return (await db.read(namesOfKeys)).rows.map((row) => row.name);
}

const heldKeys = statement<{ name: string }>`
  select rp.permission_name as name
  from memberships m
  join organizations o on o.id = m.organization_id and o.deleted_at is null
  join role_permissions rp on rp.role_name = m.role_name
  where m.user_id = $2 and (m.organization_id = $1 or m.role_name = 'Provider Admin')
  group by rp.permission_name
  order by rp.permission_name collate "und-x-icu"`;

/**
 * Returns the names of the keys that a user's roles have in the organization, sorted. The role Provider Admin counts in
 * every organization.
 */
export async function selectHeldKeys(db: Reader, organizationId: OrganizationId, userId: UserId): Promise<string[]> {
  return (await db.read(heldKeys, [organizationId, userId])).rows.map((row) => row.name);
}
