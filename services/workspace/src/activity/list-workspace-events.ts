import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import {
  type Caller,
  fail,
  parseId,
  parseListParameters,
  requireMembership,
  requirePermission,
  type WorkspaceId,
} from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectWorkspaceEvenDeleted } from "../workspaces/workspace-sql.ts";
import { selectActivities } from "./activity-sql.ts";
import { activityToProto } from "./activity-to-proto.ts";

/** The log outlives the workspace. */
export async function listWorkspaceEvents(context: Context, caller: Caller, request: ListWorkspaceEventsRequest) {
  const query = parseListParameters(request);
  const id = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = await selectWorkspaceEvenDeleted(context.db, id);
  if (workspace === undefined) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  await requireMembership(caller, workspace.organization_id, Reason.WORKSPACE_NOT_FOUND);
  requirePermission(caller, workspace.organization_id, Permission.VIEW_WORKSPACE);

  const { totalCount, rows } = await selectActivities(context.db, workspace.id, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, data: rows.map(activityToProto) };
}
