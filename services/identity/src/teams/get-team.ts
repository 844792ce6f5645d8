import type { Caller } from "@cloud/contract";
import type { GetTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import type { Context } from "../context.ts";
import { requireTeam } from "./require-team.ts";
import { teamToProto } from "./team-to-proto.ts";

export async function getTeam(context: Context, caller: Caller, request: GetTeamRequest) {
  return { team: teamToProto(await requireTeam(context, caller, request)) };
}
