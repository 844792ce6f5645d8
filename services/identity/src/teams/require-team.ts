import { type Caller, found, parseId, type TeamId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { selectTeam, type TeamRow } from "./team-sql.ts";

/**
 * Returns the live team that a request names, to a caller with the RPC's permission.
 *
 * @throws TEAM_NOT_FOUND if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireTeam(context: Context, caller: Caller, id: string): Promise<TeamRow> {
  const notFound = Reason.TEAM_NOT_FOUND;
  const team = found(await selectTeam(context.db, parseId<TeamId>(id, notFound)), notFound);
  await caller.requireAccess(team.organization_id, notFound);
  return team;
}
