import type { OrganizationId, TokenId, UserId } from "@cloud/contract";
import { type Reader, statement } from "@cloud/postgres";
import type { RoleName } from "../memberships/role-rules.ts";

/** A token with one role of its user; a user without roles has one row. */
export interface IdentityRow {
  digest: Buffer;
  token_id: TokenId;
  user_id: UserId;
  /** Null, like the role and its permissions, for a user without roles. */
  organization_id: OrganizationId | null;
  role_name: RoleName | null;
  /** JSON of the names of the role's permissions, sorted; null if there are none. */
  permissions: string | null;
}

/**
 * One statement, so one round trip: every request to every service waits for it. The permissions are text, because they
 * are the same in all rows with the role, and need to be parsed once.
 *
 * The subquery hides the number of digests from the planner. Otherwise a plan for one digest is cheaper than the one for
 * any number, and Postgres plans each time: 0.9 ms of its CPU instead of 0.14.
 */
const selectByDigests = statement<IdentityRow>`
    select t.digest,
      t.id as token_id,
      t.user_id,
      place.organization_id,
      place.role_name,
      place.permissions
    from tokens t
    join users u on u.id = t.user_id and u.deleted_at is null
    left join (
      select m.user_id, m.organization_id, m.role_name, r.position, held.permissions
      from memberships m
      join organizations o on o.id = m.organization_id and o.deleted_at is null
      join roles r on r.name = m.role_name
      cross join lateral (
        select json_agg(rp.permission_name order by rp.permission_name)::text as permissions
        from role_permissions rp
        where rp.role_name = m.role_name
      ) held
    ) place on place.user_id = t.user_id
    where t.digest = any(array(select unnest($1::bytea[]))) and t.revoked_at is null
    order by place.organization_id, place.position`;

/**
 * Returns the live users of the tokens, a row per role in a live organization, by organization and lowest role first.
 * Omits a token that is unknown or revoked, or whose user is deleted.
 */
export async function selectIdentities(db: Reader, digests: readonly Buffer[]): Promise<IdentityRow[]> {
  return (await db.read(selectByDigests, [digests])).rows;
}
