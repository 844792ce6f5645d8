import type { TeamId, UserId } from "@cloud/contract";
import { type Sql, sql, type Tx } from "@cloud/postgres";

/** Adds a user to a team. Returns false if they were in it already. */
export async function insertTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<boolean> {
  const text = sql`
    insert into team_members (team_id, user_id)
    values ($1, $2)
    on conflict do nothing`;
  return (await tx.query(text, [teamId, userId])).rowCount === 1;
}

/** Removes a user from a team. Returns false if they were not in it. */
export async function deleteTeamMember(tx: Tx, teamId: TeamId, userId: UserId): Promise<boolean> {
  const text = sql`
    delete from team_members
    where team_id = $1 and user_id = $2`;
  return (await tx.query(text, [teamId, userId])).rowCount === 1;
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
