import type { RequiredTags } from "@cloud/access";
import type { ListParameters, SelectionParameters } from "@cloud/access/lists";
import type { NameChanges, OrganizationId, TeamId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx, uuidArray } from "@cloud/postgres";
import { type ListSource, selectTextPage } from "@cloud/postgres/lists";
import {
  endedNow,
  hasTag,
  linkedRecords,
  liveCount,
  liveRecords,
  type RecordRow,
  searchKeys,
  USE_ALL_ORGANIZATIONS_INDEX,
  writeTime,
} from "@cloud/service/records";
import { isNotEnding } from "../organizations/deletion-sql.ts";

export interface TeamRow extends RecordRow<TeamId> {
  owner: UserId | null;
}

export const teamColumns = sql`
  id, organization_id, name, description, owner, created_at, updated_at, deleted_at, etag`;

/** The condition of a live team. A team of a deleted organization is not live, even if its row is yet to be deleted. */
const isLive = sql`deleted_at is null and organization_id ${isNotEnding}`;

export const {
  select: selectTeam,
  selectMany: selectTeamRows,
  selectForShare: selectTeamForShare,
} = liveRecords<TeamRow>(sql`teams`, teamColumns, isLive);

interface NewTeam {
  readonly id: TeamId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly owner: UserId | null;
}

const teamInsertion = statement<TeamRow>`
  insert into teams (id, organization_id, name, description, owner)
  values ($1, $2, $3, $4, $5)
  returning ${teamColumns}`;

/** Inserts a team; the caller's lock keeps its organization live. */
export async function insertTeam(tx: Tx, team: NewTeam): Promise<TeamRow> {
  const { id, organizationId, name, description, owner } = team;
  const result = await tx.query(teamInsertion, [id, organizationId, name, description, owner]);
  return oneRow(result);
}

/** Returns a page of the live teams of an organization, or of all live ones. */
export async function selectTeamsOf(db: Reader, scope: "all" | OrganizationId, query: ListParameters) {
  if (scope !== "all") {
    const ofOne = { where: live, params: [scope], isPlannedOnce: true, count: countOf, searchBy };
    return selectTeamPage(db, ofOne, query);
  }
  return selectTeamPage(
    db,
    {
      where: sql`${isLive} and ${USE_ALL_ORGANIZATIONS_INDEX}`,
      params: [],
      count: liveCount(isList, isNotEnding),
      searchBy: { keys, scope: undefined },
    },
    query,
  );
}

/** Returns a page of the live teams of the organization that are among the ids or, unless `assigned`, the others. */
export async function selectTeamPageAmong(db: Reader, { organizationId, ids, assigned, query }: SelectionParameters) {
  const linked = linkedRecords({ records: sql`teams`, ids, assigned, live, countLive: countOf });
  return selectTeamPage(db, { params: [organizationId, uuidArray(ids)], searchBy, ...linked }, query);
}

/**
 * The condition of a live team of the organization $1. The part on the parameter is evaluated once, not for each row.
 */
const live = sql`organization_id = $1 and deleted_at is null and $1 ${isNotEnding}`; // protects: live-teams
const isList = sql`list = 'teams'`;
const countOf = liveCount(isList, sql`= $1 and scope ${isNotEnding}`);
const searchColumns = [sql`name`, sql`description`];
const keys = searchKeys(sql`organization_id`, searchColumns);
const searchBy = { keys, scope: sql`$1` };

const teamFieldsUpdate = statement<TeamRow>`
  update teams
  set name = coalesce($2, name), description = coalesce($3, description), updated_at = ${writeTime}
  where id = $1 and deleted_at is null and ${hasTag(4)}
  returning ${teamColumns}`;

/** Updates a live team; returns undefined if it is not live, or has none of the tags. */
export async function updateTeamFields(
  tx: Tx,
  id: TeamId,
  { name, description }: NameChanges,
  tags: RequiredTags,
): Promise<TeamRow | undefined> {
  const { rows } = await tx.query(teamFieldsUpdate, [id, name ?? null, description ?? null, tags]);
  return rows[0];
}

const deleteById = statement<TeamRow>`
  update teams
  set ${endedNow(sql`deleted_at`)}
  where id = $1 and deleted_at is null and ${hasTag(2)}
  returning ${teamColumns}`;

const deleteMembers = statement`
  delete from team_members
  where team_id = $1`;

/**
 * Soft-deletes a live team and deletes its memberships. Returns undefined if it was not live, or had none of the tags:
 * the caller rolls back.
 */
export async function softDeleteTeam(tx: Tx, id: TeamId, tags: RequiredTags): Promise<TeamRow | undefined> {
  const deleted = (await tx.query(deleteById, [id, tags])).rows[0];
  await tx.query(deleteMembers, [id]);
  return deleted;
}

type Teams = Pick<ListSource, "where" | "params" | "isLong" | "isPlannedOnce" | "count" | "searchBy"> &
  Partial<Pick<ListSource, "from">>;

async function selectTeamPage(db: Reader, list: Teams, query: ListParameters) {
  return selectTextPage(db, { columns: teamColumns, from: sql`teams`, searchColumns, ...list, ...query });
}
