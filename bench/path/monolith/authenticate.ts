import { hash } from "node:crypto";
import type { Query, Statement } from "./database.ts";
import { Refused } from "./refused.ts";

export interface Caller {
  readonly userId: string;
  /** The permissions by organization. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<string>>;
}

interface IdentityRow {
  user_id: string;
  /** Null for a user without roles. */
  organization_id: string | null;
  permissions: string | null;
}

/** The statement of the identity service, but for one token. */
const selectByDigest: Statement = {
  name: "authenticate",
  text: `
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
    where t.digest = $1 and t.revoked_at is null
    order by place.organization_id, place.position`,
};

/** Reads the tables for every request, so that a revoked token is refused by the next one. */
export async function authenticate(query: Query, authorization: string | undefined): Promise<Caller> {
  const token = /^bearer +(cst_[\w-]{43})$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new Refused(401, "UNAUTHENTICATED");
  const rows = await query<IdentityRow>(selectByDigest, [hash("sha256", token, "buffer")]);
  const [first] = rows;
  if (first === undefined) throw new Refused(401, "UNAUTHENTICATED");
  const permissions = new Map<string, Set<string>>();
  for (const { organization_id: organization, permissions: held } of rows) {
    if (organization === null) continue;
    const all = permissions.get(organization) ?? new Set();
    for (const permission of JSON.parse(held ?? "[]") as string[]) all.add(permission);
    permissions.set(organization, all);
  }
  return { userId: first.user_id, permissions };
}

/** Refuses a caller who is not a member like a missing record, then one without the permission. */
export function requirePermission({ permissions }: Caller, organizationId: string, permission?: string): void {
  const held = permissions.get(organizationId);
  if (held === undefined) throw new Refused(404, "WORKSPACE_NOT_FOUND");
  if (permission !== undefined && !held.has(permission)) throw new Refused(403, "PERMISSION_DENIED");
}
