import type { Sql } from "@cloud/postgres";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, fail, parseId, requireMembership, requirePermission, type TeamId } from "@cloud/rpc";
import { selectLiveTeam, type TeamRow } from "./teams-sql.ts";

/** A live team in an organization of the caller. @throws TEAM_NOT_FOUND. */
export async function findTeam(sql: Sql, caller: Caller, id: string): Promise<TeamRow> {
  const row = await selectLiveTeam(sql, parseId<TeamId>(id, Reason.TEAM_NOT_FOUND));
  if (row === undefined) {
    throw fail(Reason.TEAM_NOT_FOUND);
  }
  await requireMembership(caller, row.organization_id, Reason.TEAM_NOT_FOUND);
  return row;
}

/** The same, that the caller may change. @throws TEAM_NOT_FOUND, PERMISSION_DENIED. */
export async function findTeamToManage(sql: Sql, caller: Caller, id: string): Promise<TeamRow> {
  const row = await findTeam(sql, caller, id);
  requirePermission(caller, row.organization_id, Permission.MANAGE_TEAMS);
  return row;
}
