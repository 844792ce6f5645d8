import type { OrganizationId, TeamId } from "@cloud/access/values";
import { sql, statement, type Tx } from "@cloud/postgres";
import { endedNow } from "@cloud/service/records";

/**
 * The condition, without its column, that the column names no deleted organization that still has live teams. It is not
 * `<> all`, which Postgres expects to exclude most rows if the array is unknown: it read all 101,000 rows of a list.
 */
export const isNotEnding = sql`
  not in (
    select id
    from ending_organizations
  )`;

const endingOrganizationInsertion = statement`
  insert into ending_organizations (id)
  values ($1)
  on conflict do nothing`;

export async function insertEndingOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(endingOrganizationInsertion, [id]);
}

const endingOrganizationForUpdate = statement<{ id: OrganizationId }>`
  select id
  from ending_organizations
  order by id
  limit 1
  for update skip locked`;

/** Locks an organization that no other replica has locked, until `tx` ends. Returns undefined if there is none. */
export async function selectEndingOrganizationForUpdate(tx: Tx): Promise<OrganizationId | undefined> {
  return (await tx.query(endingOrganizationForUpdate)).rows[0]?.id;
}

const endingOrganizationDeletion = statement`
  delete from ending_organizations
  where id = $1`;

export async function deleteEndingOrganization(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(endingOrganizationDeletion, [id]);
}

const nextTeamsOf = statement<{ id: TeamId }>`
  select id
  from teams
  where organization_id = $1 and deleted_at is null
  order by created_at desc, id desc
  limit $2
  for update`;

/** Locks the next live teams of the organization FOR UPDATE, at most `max`. */
export async function selectNextTeamsOf(tx: Tx, organizationId: OrganizationId, max: number): Promise<TeamId[]> {
  return (await tx.query(nextTeamsOf, [organizationId, max])).rows.map(({ id }) => id);
}

const membersOfTeamsDeletion = statement`
  delete from team_members
  where ctid = any(array(
    select ctid
    from team_members
    where team_id = any($1)
    limit $2
    for update
  ))`;

/** Deletes members of the teams, at most `max`; returns their number. */
export async function deleteMembersOfTeams(tx: Tx, teamIds: readonly TeamId[], max: number): Promise<number> {
  return (await tx.query(membersOfTeamsDeletion, [teamIds, max])).rowCount ?? 0;
}

const teamsDeletion = statement`
  update teams
  set ${endedNow(sql`deleted_at`)}
  where id = any($1)`;

export async function softDeleteTeams(tx: Tx, teamIds: readonly TeamId[]): Promise<void> {
  await tx.query(teamsDeletion, [teamIds]);
}
