import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type Id, isId, orThrow, parseId, type WorkspaceId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { WatchWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { StreamContext } from "@cloud/service";
import type { StreamingContext } from "../context.ts";
import { activityToProto } from "../to-proto.ts";

/** Streams the log of a live workspace from an event on, for as long as the caller may see it. */
export async function* watchWorkspaceEvents(
  context: StreamingContext & StreamContext,
  caller: Caller,
  request: WatchWorkspaceEventsRequest,
) {
  const after = parseAfter(request.after);
  const workspaceId = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = orThrow(await context.selectWorkspace(workspaceId), Reason.WORKSPACE_NOT_FOUND);
  const organizationId = workspace.organization_id;
  await caller.requireAccess(organizationId, Reason.WORKSPACE_NOT_FOUND);

  const { access, signal } = context;
  const watch = { workspaceId: workspace.id, organizationId, userId: caller.userId, access, after, signal };
  for await (const { row, ...rest } of context.watches.watch(watch)) {
    yield row === undefined ? rest : { event: activityToProto(row), ...rest };
  }
}

/** Parses `after`; undefined if it is empty. @throws INVALID_PARAMETER for a text that is no id */
function parseAfter(after: string): Id | undefined {
  if (after === "") return undefined;
  if (!isId(after)) throw fail(Reason.INVALID_PARAMETER, { parameter: "after", accepts: "the id of an event" });
  return after.toLowerCase() as Id;
}
