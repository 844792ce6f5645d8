import { type Page, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { ListParameters, OrganizationId, TeamId, UserId } from "@cloud/rpc";

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

const COLUMNS = "id, organization_id, name, description, owner, created_at, updated_at, deleted_at";

export interface NewTeam {
  readonly id: TeamId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: UserId | null;
}

export async function insertTeam(tx: Tx, team: NewTeam): Promise<TeamRow> {
  const { rows } = await tx.query<TeamRow>(
    "insert into teams (id, organization_id, name, description, owner) values ($1, $2, $3, $4, $5) returning " +
      COLUMNS,
    [team.id, team.organizationId, team.name, team.description, team.owner],
  );
  return rows[0] as TeamRow;
}

export async function selectLiveTeam(sql: Sql, id: TeamId): Promise<TeamRow | undefined> {
  return (await selectLiveTeams(sql, [id]))[0];
}

export async function selectLiveTeams(sql: Sql, ids: readonly string[]): Promise<TeamRow[]> {
  const text = "select " + COLUMNS + " from teams where id = any($1::uuid[]) and deleted_at is null";
  return (await sql.query<TeamRow>(text, [ids])).rows;
}

/** Keeps a team live until the transaction ends. False when it is not live. */
export async function selectTeamForShare(tx: Tx, id: TeamId): Promise<boolean> {
  return (await tx.query("select 1 from teams where id = $1 and deleted_at is null for share", [id])).rowCount === 1;
}

/** The live teams of an organization, or of all. */
export function selectTeamPage(sql: Sql, of: OrganizationId | "all", list: ListParameters): Promise<Page<TeamRow>> {
  return pageOf(sql, of === "all" ? "true" : "organization_id = $1", of === "all" ? [] : [of], list);
}

/** The live teams of an organization that are among the ids, or that are not. */
export function selectTeamPageAmong(
  sql: Sql,
  choice: { readonly organization: OrganizationId; readonly ids: readonly string[]; readonly assigned: boolean },
  list: ListParameters,
): Promise<Page<TeamRow>> {
  const among = choice.assigned ? "id = any($2::uuid[])" : "id <> all($2::uuid[])";
  return pageOf(sql, "organization_id = $1 and " + among, [choice.organization, choice.ids], list);
}

/** Changes a live team; a null leaves the field as it is. Undefined when it is not live. */
export async function updateTeamTexts(
  sql: Sql,
  id: TeamId,
  texts: { readonly name: string | null; readonly description: string | null },
): Promise<TeamRow | undefined> {
  const { rows } = await sql.query<TeamRow>(
    "update teams set name = coalesce($2, name), description = coalesce($3, description), updated_at = now()" +
      " where id = $1 and deleted_at is null returning " +
      COLUMNS,
    [id, texts.name, texts.description],
  );
  return rows[0];
}

/** Ends a live team and its memberships. False when it was not live. */
export async function tombstoneTeam(tx: Tx, id: TeamId): Promise<boolean> {
  const text = "update teams set deleted_at = now(), updated_at = now() where id = $1 and deleted_at is null";
  const wasLive = (await tx.query(text, [id])).rowCount === 1;
  await tx.query("delete from team_members where team_id = $1", [id]);
  return wasLive;
}

function pageOf(sql: Sql, condition: string, params: readonly unknown[], list: ListParameters): Promise<Page<TeamRow>> {
  const where = "deleted_at is null and " + condition;
  return selectPage<TeamRow>(sql, {
    columns: COLUMNS,
    from: "teams",
    where,
    params,
    searchColumns: ["name", "description"],
    ...list,
  });
}
