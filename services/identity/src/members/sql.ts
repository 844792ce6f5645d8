import type { ListParameters } from "@cloud/access/lists";
import type { OrganizationId, UserId } from "@cloud/access/values";
import { type Reader, sql, statement } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { liveCount, searchKeys } from "@cloud/service/records";
import type { RoleName } from "../memberships/rules.ts";
import { type Person, personOf } from "../users/sql.ts";

export interface MemberRow {
  organization_id: OrganizationId;
  user_id: UserId;
  /** The roles, lowest first. */
  role_names: RoleName[];
  person: Person;
  /** The time at which the user became a member. */
  created_at: Date;
  updated_at: Date;
}

/** The reader of a list of members. */
export interface Viewer {
  /** The id of the user; null for Provider Admins and services, who see all emails. */
  readonly userId: UserId | null;
  /** Whether a search finds emails: it must never find an email that the list does not show. */
  readonly searchesEmails: boolean;
}

/** The members of the organization $1. A page identifies its rows by `id`, which is the user's in one organization. */
const membersOf = sql`
  (
    select tableoid, user_id as id, user_id, organization_id, name, email, created_at, updated_at
    from members
    where organization_id = $1
  ) members`;

/** The columns of `MemberRow`; the viewer is $2. */
const columns = sql`
  id, organization_id, user_id, created_at, updated_at,
  (
    select array_agg(m.role_name order by r.position)
    from memberships m
    join roles r on r.name = m.role_name
    where m.organization_id = members.organization_id and m.user_id = members.user_id
  ) as role_names,
  ${personOf(sql`members.user_id`, sql`$2`)} as person`;

const names = [sql`name`];
const namesAndEmails = [...names, sql`email`];
const searchBy = { keys: searchKeys(sql`organization_id`, namesAndEmails), scope: sql`$1` };
const count = liveCount(sql`list = 'members'`, sql`= $1`);

/** Returns a page of the members of an organization. */
export function selectMembersOf(
  db: Reader,
  organizationId: OrganizationId,
  viewer: Viewer,
  query: ListParameters,
): Promise<Page<MemberRow>> {
  return selectPage<MemberRow>(db, {
    columns,
    from: membersOf,
    // Always true; it gives the viewer a type in the statements without it.
    where: sql`$2::uuid is not distinct from $2`,
    params: [organizationId, viewer.userId],
    count,
    searchColumns: viewer.searchesEmails ? namesAndEmails : names,
    searchBy,
    ...query,
  });
}

const member = statement<MemberRow>`
  select ${columns}
  from ${membersOf}
  where id = $3`;

/** Returns a member as the viewer sees them; undefined if the user is not a member. */
export async function selectMember(
  db: Reader,
  organizationId: OrganizationId,
  viewer: Viewer,
  userId: UserId,
): Promise<MemberRow | undefined> {
  return (await db.read(member, [organizationId, viewer.userId, userId])).rows[0];
}
