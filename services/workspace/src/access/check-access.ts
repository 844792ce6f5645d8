import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { isId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CheckAccessRequest } from "@cloud/proto/workspace/v1/access_service_pb";
import type { Context } from "../context.ts";
import { selectTeamsReachResources, selectTeamsReachWorkspace } from "./sql.ts";

/**
 * Decides by the links that are live now; identity and environment report their own records. Unknown and malformed ids
 * give no access.
 *
 * @throws INVALID_PARAMETER for another kind of resource, UNAVAILABLE when a peer cannot be asked.
 */
export async function checkAccess(context: Context, _caller: Caller, request: CheckAccessRequest) {
  const { userId, resourceKind, resourceId } = request;
  const reaches = reachOf(resourceKind);
  if (!isId(userId) || !isId(resourceId)) {
    return { allowed: false };
  }
  const { teamIds } = await context.identity.listUserTeamIds({ userId });
  return { allowed: teamIds.length > 0 && (await reaches(context, teamIds, resourceId.toLowerCase())) };
}

type Reach = (context: Context, teamIds: readonly string[], resourceId: string) => Promise<boolean>;

function reachOf(kind: string): Reach {
  switch (kind) {
    case "team":
      return async (_context, teamIds, id) => teamIds.includes(id);
    case "workspace":
      return ({ db }, teamIds, id) => selectTeamsReachWorkspace(db, teamIds, id);
    case "environment":
      return reachesEnvironment;
    case "connection":
      return reachesConnection;
    case "design":
    case "view":
      return ({ db }, teamIds, id) => selectTeamsReachResources(db, teamIds, kind, [id]);
    default:
      throw fail(Reason.INVALID_PARAMETER, {
        parameter: "resource_kind",
        accepts: "team, workspace, environment, connection, design or view",
      });
  }
}

const reachesEnvironment: Reach = async ({ db, peerRecords }, teamIds, id) => {
  return (
    (await peerRecords.environment(id)) !== undefined && selectTeamsReachResources(db, teamIds, "environment", [id])
  );
};

const reachesConnection: Reach = async ({ db, environment }, teamIds, id) => {
  const { environmentIds } = await environment.listConnectionEnvironments({ connectionId: id });
  return environmentIds.length > 0 && selectTeamsReachResources(db, teamIds, "environment", environmentIds);
};
