import { type Caller, found, parseId, parseListParameters, type WorkspaceId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { selectActivities } from "../activity/activity-sql.ts";
import { activityToProto } from "../activity/activity-to-proto.ts";
import type { Context } from "../context.ts";
import { selectWorkspaceEvenDeleted } from "./workspace-sql.ts";

/** Lists the log of a workspace, live or deleted. */
export async function listWorkspaceEvents(context: Context, caller: Caller, request: ListWorkspaceEventsRequest) {
  const query = parseListParameters(request);
  const id = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = found(await selectWorkspaceEvenDeleted(context.db, id), Reason.WORKSPACE_NOT_FOUND);
  await caller.requireAccess(workspace.organization_id, Reason.WORKSPACE_NOT_FOUND);

  const { rows, ...total } = await selectActivities(context.db, workspace.id, query);
  return { page: query.page, pageSize: query.pageSize, ...total, data: rows.map(activityToProto) };
}
