import { type Caller, found, parseId, type WorkspaceId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { WatchWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { StreamContext } from "@cloud/service";
import { activityToProto } from "../activity/activity-to-proto.ts";
import type { WatchContext } from "../context.ts";

/** Streams the log of a live workspace from an event on, for as long as the caller may see it. */
export async function* watchWorkspaceEvents(
  context: WatchContext & StreamContext,
  caller: Caller,
  request: WatchWorkspaceEventsRequest,
) {
  const workspaceId = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = found(await context.selectWorkspace(workspaceId), Reason.WORKSPACE_NOT_FOUND);
  const organizationId = workspace.organization_id;
  await caller.requireAccess(organizationId, Reason.WORKSPACE_NOT_FOUND);

  const { access, signal } = context;
  const after = request.after === "" ? undefined : request.after;
  const watch = { workspaceId: workspace.id, organizationId, userId: caller.userId, access, after, signal };
  for await (const { row, position = "" } of context.watches.watch(watch)) {
    yield row === undefined ? { position } : { event: activityToProto(row), position };
  }
}
