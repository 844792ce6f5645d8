import type { Sql, Tx } from "@cloud/postgres";
import type { TeamId, UserId } from "@cloud/rpc";

export interface TeamMemberRow {
  team_id: TeamId;
  user_id: UserId;
  created_at: Date;
}

/** Adds a user to a team and answers the row, the existing one when there is one. */
export async function insertTeamMember(tx: Tx, team: TeamId, user: UserId): Promise<TeamMemberRow> {
  const { rows } = await tx.query<TeamMemberRow>(
    "insert into team_members as m (team_id, user_id) values ($1, $2)" +
      " on conflict (team_id, user_id) do update set created_at = m.created_at returning team_id, user_id, created_at",
    [team, user],
  );
  return rows[0] as TeamMemberRow;
}

/** False when the user was not in the team. */
export async function deleteTeamMember(sql: Sql, team: TeamId, user: UserId): Promise<boolean> {
  return (await sql.query("delete from team_members where team_id = $1 and user_id = $2", [team, user])).rowCount === 1;
}

/** The live teams, in live organizations, that a user is a member of. */
export async function selectTeamIdsOfUser(sql: Sql, user: UserId): Promise<TeamId[]> {
  const { rows } = await sql.query<{ id: TeamId }>(
    "select t.id from team_members m join teams t on t.id = m.team_id and t.deleted_at is null" +
      " join organizations o on o.id = t.organization_id and o.deleted_at is null where m.user_id = $1 order by t.id",
    [user],
  );
  return rows.map((row) => row.id);
}
