import type { OrganizationId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import type { PeriodicJob } from "@cloud/service/references";
import { type Actor, NO_REQUEST, recordAuditEvents, THIS_SERVICE } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import {
  deleteEndingOrganization,
  deleteMembersOfTeams,
  insertEndingOrganization,
  selectEndingOrganizationForUpdate,
  selectNextTeamsOf,
  softDeleteTeams,
} from "./deletion-sql.ts";

/** Teams in a transaction, and `MEMBERS` times as many of their members, which take a tenth of the time. */
const BATCH = 250;
const MEMBERS = 10;

/**
 * Deletes the teams of a deleted organization with their members: the first 250 in `tx`, for which the request waits,
 * and the others in later passes. 100,000 in one transaction would take longer than a statement may.
 */
export async function deleteTeamsOf(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  organizationId: OrganizationId,
): Promise<void> {
  if (await deleteNextTeamsOf(tx, context, actor, organizationId, BATCH)) {
    await insertEndingOrganization(tx, organizationId);
  }
}

/** Returns the pass that deletes the other teams, in transactions of as many. Replicas may run it concurrently. */
export function createTeamDeletionJob(db: Pick<Database, "transaction">): PeriodicJob {
  return { name: "teams-of-deleted-organizations", run: () => deleteRemainingTeams(db) };
}

export async function deleteRemainingTeams(db: Pick<Database, "transaction">): Promise<void> {
  for (let isEmpty = false; !isEmpty; ) {
    isEmpty = await db.transaction(async (tx) => {
      const id = await selectEndingOrganizationForUpdate(tx);
      if (id === undefined) return true;
      const hasMore = await deleteNextTeamsOf(tx, NO_REQUEST, THIS_SERVICE, id, BATCH);
      if (!hasMore) await deleteEndingOrganization(tx, id);
      return false;
    });
  }
}

/**
 * Deletes the next teams, at most `max`; returns whether there may be more. A team is deleted once its members are.
 */
async function deleteNextTeamsOf(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  organizationId: OrganizationId,
  max: number,
): Promise<boolean> {
  const teams = await selectNextTeamsOf(tx, organizationId, max);
  if ((await deleteMembersOfTeams(tx, teams, max * MEMBERS)) === max * MEMBERS) return true;
  await softDeleteTeams(tx, teams);
  const entries = teams.map((target) => ({ action: "team.deleted", target, organizationId }) as const);
  recordAuditEvents(tx, context, actor, entries);
  return teams.length === max;
}
