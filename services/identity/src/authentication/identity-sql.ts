import type { OrganizationId, TokenId, UserId } from "@cloud/contract";
import { type Sql, sql } from "@cloud/postgres";

export interface IdentityRow {
  token_id: TokenId;
  user_id: UserId;
  memberships: { organizationId: OrganizationId; roleNames: string[]; permissions: string[] }[];
  /** Permissions in every organization: those of a Provider Admin, else none. */
  everywhere: string[];
}

/** One statement, so one round trip: every request to every service waits for it. */
const selectByDigest = sql`
    select t.id as token_id,
      t.user_id,
      coalesce(
        (
          select json_agg(place order by place."organizationId")
          from (
            select m.organization_id as "organizationId",
              array_agg(m.role_name order by r.position) as "roleNames",
              array(
                select distinct rp.permission_name
                from memberships mine
                join role_permissions rp on rp.role_name = mine.role_name
                where mine.user_id = t.user_id and mine.organization_id = m.organization_id
                order by 1
              ) as permissions
            from memberships m
            join roles r on r.name = m.role_name
            join organizations o on o.id = m.organization_id and o.deleted_at is null
            where m.user_id = t.user_id
            group by m.organization_id
          ) place
        ),
        '[]'::json
      ) as memberships,
      array(
        select rp.permission_name
        from role_permissions rp
        where rp.role_name = 'Provider Admin'
          and exists (
            select 1
            from memberships m
            join organizations o on o.id = m.organization_id and o.deleted_at is null
            where m.user_id = t.user_id and m.role_name = 'Provider Admin'
          )
        order by 1
      ) as everywhere
    from tokens t
    join users u on u.id = t.user_id and u.deleted_at is null
    where t.digest = $1 and t.revoked_at is null`;

/**
 * Returns the live user of a token, with roles and permissions per organization. Returns undefined if the token is
 * unknown or revoked, or its user deleted.
 */
export async function selectIdentity(db: Sql, digest: Buffer): Promise<IdentityRow | undefined> {
  return (await db.query<IdentityRow>(selectByDigest, [digest])).rows[0];
}
