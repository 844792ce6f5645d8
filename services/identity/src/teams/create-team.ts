import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import {
  type Caller,
  fail,
  newId,
  parseOrganizationId,
  parseTextParameter,
  permissionName,
  requireCreation,
  type TeamId,
} from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { selectOrganizationForShare } from "../organizations/organizations-sql.ts";
import { findOwner } from "../users/find-owner.ts";
import { teamToProto } from "./team-to-proto.ts";
import { insertTeam } from "./teams-sql.ts";

export async function createTeam({ db }: IdentityContext, request: CreateTeamRequest, caller: Caller) {
  const organizationId = parseOrganizationId(request.organizationId);
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  await requireCreation(caller, organizationId, Permission.MANAGE_TEAMS);
  const owner = await findOwner(db, caller, request.owner);
  const id = newId<TeamId>();
  return await db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForShare(tx, organizationId))) {
      throw fail(Reason.PERMISSION_DENIED, { permission: permissionName(Permission.MANAGE_TEAMS) });
    }
    return { team: teamToProto(await insertTeam(tx, { id, organizationId, name, description, owner })) };
  });
}
