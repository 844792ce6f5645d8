import type { TeamId, UserId } from "@cloud/contract";
import { type Reader, statement, type Tx } from "@cloud/postgres";

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

/** Returns the ids of the live teams, in live organizations, of which a user is a member. */
export async function selectTeamIdsOfUser(db: Reader, userId: UserId): Promise<TeamId[]> {
  const { rows } = await db.read(teamIdsOfUser, [userId]);
  return rows.map((row) => row.id);
}
