import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId, type TeamId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { teamToProto } from "../to-proto.ts";
import { selectTeam, type TeamRow } from "./sql.ts";

export async function getTeam(context: Context, caller: Caller, request: GetTeamRequest) {
  return { team: teamToProto(await requireTeam(context, caller, request)) };
}

/** The reference of a request to a team; published clients name its organization, too. */
interface TeamName {
  readonly id: string;
  readonly organizationId?: string;
}

/**
 * Returns the live team that a request names, to a caller with the RPC's permission.
 *
 * @throws TEAM_NOT_FOUND if it is malformed, missing, deleted, in another organization than the request names, or in
 * one that the caller is not in; PERMISSION_DENIED.
 */
export async function requireTeam(
  context: Context,
  caller: Caller,
  { id, organizationId = "" }: TeamName,
): Promise<TeamRow> {
  const notFound = Reason.TEAM_NOT_FOUND;
  const team = orThrow(await selectTeam(context.db, parseId<TeamId>(id, notFound)), notFound);
  if (organizationId !== "" && organizationId.toLowerCase() !== team.organization_id) {
    throw fail(notFound);
  }
  await caller.requireAccess(team.organization_id, notFound);
  return team;
}
