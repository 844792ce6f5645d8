import type { GetTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Caller } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findTeam } from "./find-team.ts";
import { teamToProto } from "./team-to-proto.ts";

export async function getTeam({ db }: IdentityContext, request: GetTeamRequest, caller: Caller) {
  return { team: teamToProto(await findTeam(db, caller, request.id)) };
}
