import type { Caller } from "@cloud/access";
import { newId, parseOrganizationId, parseTextParameter, type TeamId } from "@cloud/access/values";
import type { CreateTeamRequest } from "@cloud/proto/identity/v1/team_service_pb";
import { createOnce } from "@cloud/service";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { selectOrganizationForShare } from "../organizations/sql.ts";
import { teamToProto } from "../to-proto.ts";
import { resolveOwner } from "../users/resolve-owner.ts";
import { insertTeam } from "./sql.ts";

/** Creates a team. @throws PERMISSION_DENIED also if the organization was deleted meanwhile. */
export async function createTeam(context: Context, caller: Caller, request: CreateTeamRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  await caller.requireCreation(organizationId);
  const owner = await resolveOwner(context, caller, request.owner);
  const id = newId<TeamId>();
  return await createOnce(context, async (tx) => {
    if (!(await selectOrganizationForShare(tx, organizationId))) {
      throw caller.permissionDenied();
    }
    const team = await insertTeam(tx, { id, organizationId, name, description, owner });
    recordAuditEvent(tx, context, caller, { action: "team.created", target: id, organizationId });
    return { team: teamToProto(team) };
  });
}
