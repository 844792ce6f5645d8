import type { Sql, Tx } from "@cloud/postgres";
import type { OrganizationId, UserId } from "@cloud/rpc";
import type { RoleName } from "./role-rules.ts";

/** The roles of a user in an organization, lowest first; none when they are not a member. */
export async function selectRoleNames(sql: Sql, organization: OrganizationId, user: UserId): Promise<RoleName[]> {
  const { rows } = await sql.query<{ role_name: RoleName }>(
    "select m.role_name from memberships m join roles r on r.name = m.role_name" +
      " where m.organization_id = $1 and m.user_id = $2 order by r.position",
    [organization, user],
  );
  return rows.map((row) => row.role_name);
}

/** Whether the user is a member of the live organization: by a role there, or as a Provider Admin anywhere. */
export async function selectIsMember(sql: Sql, organization: OrganizationId, user: UserId): Promise<boolean> {
  const text =
    "select 1 from organizations o where o.id = $1 and o.deleted_at is null and exists (" +
    "select 1 from memberships m join organizations mo on mo.id = m.organization_id and mo.deleted_at is null" +
    " where m.user_id = $2 and (m.organization_id = o.id or m.role_name = 'Provider Admin'))";
  return (await sql.query(text, [organization, user])).rowCount === 1;
}

/** Makes these the user's roles there, no more and no fewer. */
export async function replaceRoles(
  tx: Tx,
  organization: OrganizationId,
  user: UserId,
  roles: readonly RoleName[],
): Promise<void> {
  await tx.query(
    "delete from memberships where organization_id = $1 and user_id = $2 and role_name <> all($3::text[])",
    [organization, user, roles],
  );
  await tx.query(
    "insert into memberships (organization_id, user_id, role_name) select $1, $2, unnest($3::text[])" +
      " on conflict do nothing",
    [organization, user, roles],
  );
}

/** Ends a user's roles in an organization, and their places in its teams. */
export async function deleteMember(tx: Tx, organization: OrganizationId, user: UserId): Promise<void> {
  await tx.query("delete from memberships where organization_id = $1 and user_id = $2", [organization, user]);
  await tx.query(
    "delete from team_members where user_id = $2 and team_id in (select id from teams where organization_id = $1)",
    [organization, user],
  );
}

/** Ends everybody's roles in an organization. */
export async function deleteMemberships(tx: Tx, organization: OrganizationId): Promise<void> {
  await tx.query("delete from memberships where organization_id = $1", [organization]);
}
