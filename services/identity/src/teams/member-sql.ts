import type { ListParameters } from "@cloud/access/lists";
import type { TeamId, UserId } from "@cloud/access/values";
import { type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { liveCount } from "@cloud/service/records";
import type { Viewer } from "../members/sql.ts";
import { type Person, personOf } from "../users/sql.ts";

const teamMemberInsertion = statement`
  insert into team_members (team_id, user_id)
  values ($1, $2)
  on conflict do nothing`;

/** Adds a user to a team. Returns false if they were in it already. */
export async function insertTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<boolean> {
  return (await tx.query(teamMemberInsertion, [teamId, userId])).rowCount === 1;
}

const teamMemberDeletion = statement`
  delete from team_members
  where team_id = $1 and user_id = $2`;

/** Removes a user from a team. Returns false if they were not in it. */
export async function deleteTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<boolean> {
  return (await tx.query(teamMemberDeletion, [teamId, userId])).rowCount === 1;
}

const teamIdsOfUser = statement<{ id: TeamId }>`
  select t.id
  from team_members m
  join teams t on t.id = m.team_id and t.deleted_at is null
  join organizations o on o.id = t.organization_id and o.deleted_at is null
  where m.user_id = $1
  order by t.id`;

/** Returns the ids of a user's live teams in live organizations. */
export async function selectTeamIdsOfUser(db: Reader, userId: UserId): Promise<TeamId[]> {
  const { rows } = await db.read(teamIdsOfUser, [userId]);
  return rows.map((row) => row.id);
}

export interface TeamMemberRow {
  team_id: TeamId;
  user_id: UserId;
  person: Person;
  created_at: Date;
}

/**
 * The members of the team $1. A page identifies its rows by `id`, which is the user's in one team. A membership never
 * changes.
 */
const membersOf = sql`
  (
    select team_id, user_id as id, user_id, created_at, created_at as updated_at
    from team_members
    where team_id = $1
  ) members`;

/** The columns of `TeamMemberRow`; the viewer is $2. */
const columns = sql`id, team_id, user_id, created_at, updated_at, ${personOf(sql`members.user_id`, sql`$2`)} as person`;

const name = sql`(select name_of(first_name, last_name) from users where users.id = members.user_id)`;
const email = sql`(select email from users where users.id = members.user_id)`;
const count = liveCount(sql`list = 'team_members'`, sql`= $1`);

/** Returns a page of the members of a team. */
export function selectTeamMembersOf(
  db: Reader,
  teamId: TeamId,
  viewer: Viewer,
  query: ListParameters,
): Promise<Page<TeamMemberRow>> {
  return selectPage<TeamMemberRow>(db, {
    columns,
    from: membersOf,
    // Always true; it gives the viewer a type in the statements without it.
    where: sql`$2::uuid is not distinct from $2`,
    params: [teamId, viewer.userId],
    count,
    searchColumns: viewer.searchesEmails ? [name, email] : [name],
    ...query,
  });
}

const teamMember = statement<TeamMemberRow>`
  select ${columns}
  from ${membersOf}
  where id = $3`;

/** Returns a member of a team as the viewer sees them; undefined if the user is not in it. */
export async function selectTeamMember(
  db: Reader,
  teamId: TeamId,
  viewer: Viewer,
  userId: UserId,
): Promise<TeamMemberRow | undefined> {
  return (await db.read(teamMember, [teamId, viewer.userId, userId])).rows[0];
}
