import type { ListUserTeamIdsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import { isId, type UserId } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectTeamIdsOfUser } from "../teams/team-members-sql.ts";

/** Nobody is in no team. */
export async function listUserTeamIds({ db }: IdentityContext, { userId }: ListUserTeamIdsRequest) {
  return { teamIds: isId(userId) ? await selectTeamIdsOfUser(db, userId as UserId) : [] };
}
