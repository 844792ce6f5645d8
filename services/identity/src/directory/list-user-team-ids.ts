import { type Caller, isId, type UserId } from "@cloud/contract";
import type { ListUserTeamIdsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectTeamIdsOfUser } from "../teams/team-member-sql.ts";

/** Returns the ids of a user's live teams; an unknown or malformed user id yields an empty list. */
export async function listUserTeamIds(context: Context, _caller: Caller, request: ListUserTeamIdsRequest) {
  if (!isId(request.userId)) {
    return { teamIds: [] };
  }
  return { teamIds: await selectTeamIdsOfUser(context.db, request.userId as UserId) };
}
