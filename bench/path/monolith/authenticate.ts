import { createHash } from "node:crypto";
import type { Query, Statement } from "./database.ts";
import { Refused } from "./refused.ts";

export interface Caller {
  readonly userId: string;
  /** Permissions by organization. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<string>>;
}

interface IdentityRow {
  user_id: string;
  memberships: { organizationId: string; permissions: string[] }[];
}

/** What the identity service asks for each request, in the same statement. */
const selectByDigest: Statement = {
  name: "authenticate",
  text: `
    select t.user_id,
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
    where t.digest = $1 and t.revoked_at is null`,
};

/** Reads the tables for every request, so that a revoked token is refused by the next one. */
export async function authenticate(query: Query, authorization: string | undefined): Promise<Caller> {
  const token = /^bearer +(cst_[\w-]{43})$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new Refused(401, "UNAUTHENTICATED");
  const [row] = await query<IdentityRow>(selectByDigest, [createHash("sha256").update(token).digest()]);
  if (row === undefined) throw new Refused(401, "UNAUTHENTICATED");
  const places = row.memberships.map((place) => [place.organizationId, new Set(place.permissions)] as const);
  return { userId: row.user_id, permissions: new Map(places) };
}

/** Refuses a caller who is not a member like a missing record, then one without the permission. */
export function requirePermission({ permissions }: Caller, organizationId: string, permission?: string): void {
  const held = permissions.get(organizationId);
  if (held === undefined) throw new Refused(404, "WORKSPACE_NOT_FOUND");
  if (permission !== undefined && !held.has(permission)) throw new Refused(403, "PERMISSION_DENIED");
}
