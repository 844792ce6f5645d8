import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CheckAccessRequest } from "@cloud/proto/workspace/v1/access_service_pb";
import { type Caller, fail, isId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectTeamsReachResources, selectTeamsReachWorkspace } from "./access-sql.ts";

/** From the links that are live now: teams and environments are asked for at their owners. Ids that name nothing reach nothing. */
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
        parameter: "resourceKind",
        accepts: "team, workspace, environment, connection, design or view",
      });
  }
}

const reachesEnvironment: Reach = async ({ db, environment }, teamIds, id) => {
  const { environments } = await environment.batchGetEnvironments({ ids: [id] });
  return environments.length > 0 && selectTeamsReachResources(db, teamIds, "environment", [id]);
};

const reachesConnection: Reach = async ({ db, environment }, teamIds, id) => {
  const { environmentIds } = await environment.listConnectionEnvironments({ connectionId: id });
  return environmentIds.length > 0 && selectTeamsReachResources(db, teamIds, "environment", environmentIds);
};
