import type { ListParameters, OrganizationId, SelectionParameters, TeamId, UserId } from "@cloud/contract";
import { oneRow, type Sql, type SqlText, selectTextPage, sql, type Tx } from "@cloud/postgres";
import { liveRecords } from "@cloud/service";

export interface TeamRow {
  id: TeamId;
  organization_id: OrganizationId;
  name: string;
  description: string;
  owner: UserId | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export const teamColumns = sql`id, organization_id, name, description, owner, created_at, updated_at, deleted_at`;

export const { select: selectTeam, selectForShare: selectTeamForShare } = liveRecords<TeamRow>(sql`teams`, teamColumns);

export interface NewTeam {
  readonly id: TeamId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: UserId | null;
}

/** Undefined fields are not changed. */
export interface TeamChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Inserts a team; the caller's lock keeps its organization live. */
export async function insertTeam(tx: Tx, team: NewTeam): Promise<TeamRow> {
  const { id, organizationId, name, description, owner } = team;
  const result = await tx.query<TeamRow>(
    sql`
      insert into teams (id, organization_id, name, description, owner)
      values ($1, $2, $3, $4, $5)
      returning ${teamColumns}`,
    [id, organizationId, name, description, owner],
  );
  return oneRow(result);
}

export async function selectTeamsById(db: Sql, ids: readonly TeamId[]): Promise<TeamRow[]> {
  const text = sql`
    select ${teamColumns}
    from teams
    where id = any($1) and deleted_at is null`;
  return (await db.query<TeamRow>(text, [ids])).rows;
}

/** Returns a page of the live teams of an organization, or of all. */
export async function selectTeamsOf(db: Sql, scope: "all" | OrganizationId, query: ListParameters) {
  return scope === "all"
    ? selectTeamPage(db, sql`deleted_at is null`, [], query)
    : selectTeamPage(db, sql`organization_id = $1 and deleted_at is null`, [scope], query);
}

/** Returns a page of the live teams of the organization that are among the ids or, unless `assigned`, the others. */
export async function selectTeamsAmong(db: Sql, { organizationId, ids, assigned, query }: SelectionParameters<TeamId>) {
  const among = assigned ? sql`id = any($2)` : sql`id <> all($2)`;
  const where = sql`organization_id = $1 and deleted_at is null and ${among}`;
  return selectTeamPage(db, where, [organizationId, ids], query);
}

/** Updates a live team; returns undefined if it is not live. */
export async function updateTeamFields(
  db: Sql,
  id: TeamId,
  { name, description }: TeamChanges,
): Promise<TeamRow | undefined> {
  const { rows } = await db.query<TeamRow>(
    sql`
      update teams
      set name = coalesce($2, name), description = coalesce($3, description), updated_at = now()
      where id = $1 and deleted_at is null
      returning ${teamColumns}`,
    [id, name ?? null, description ?? null],
  );
  return rows[0];
}

/** Soft-deletes a live team and deletes its memberships. Returns false if it was not live. */
export async function softDeleteTeam(tx: Tx, id: TeamId): Promise<boolean> {
  const text = sql`
    update teams
    set deleted_at = now(), updated_at = now()
    where id = $1 and deleted_at is null`;
  const wasLive = (await tx.query(text, [id])).rowCount === 1;
  await tx.query(
    sql`
      delete from team_members
      where team_id = $1`,
    [id],
  );
  return wasLive;
}

async function selectTeamPage(db: Sql, where: SqlText, params: readonly unknown[], query: ListParameters) {
  const searchColumns = [sql`name`, sql`description`];
  return selectTextPage(db, { columns: teamColumns, from: sql`teams`, where, params, searchColumns, ...query });
}
