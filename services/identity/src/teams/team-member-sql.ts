import type { TeamId, UserId } from "@cloud/contract";
import { oneRow, type Sql, sql, type Tx } from "@cloud/postgres";

export interface TeamMemberRow {
  team_id: TeamId;
  user_id: UserId;
  created_at: Date;
}

/** Adds a user to a team. Returns the row, new or existing. */
export async function insertTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<TeamMemberRow> {
  const result = await tx.query<TeamMemberRow>(
    sql`
      insert into team_members as m (team_id, user_id)
      values ($1, $2)
      on conflict (team_id, user_id) do update
      set created_at = m.created_at
      returning team_id, user_id, created_at`,
    [teamId, userId],
  );
  return oneRow(result);
}

/** Removes a user from a team. Returns false if they were not in it. */
export async function deleteTeamMember(db: Sql, teamId: TeamId, userId: UserId): Promise<boolean> {
  const text = sql`
    delete from team_members
    where team_id = $1 and user_id = $2`;
  return (await db.query(text, [teamId, userId])).rowCount === 1;
}

/** Returns the ids of the live teams, in live organizations, of which a user is a member. */
export async function selectTeamIdsOfUser(db: Sql, userId: UserId): Promise<TeamId[]> {
  const { rows } = await db.query<{ id: TeamId }>(
    sql`
      select t.id
      from team_members m
      join teams t on t.id = m.team_id and t.deleted_at is null
      join organizations o on o.id = t.organization_id and o.deleted_at is null
      where m.user_id = $1
      order by t.id`,
    [userId],
  );
  return rows.map((row) => row.id);
}
