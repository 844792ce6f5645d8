import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { BatchGetWorkspacesRequest } from "@cloud/proto/workspace/v1/directory_service_pb";
import { type Caller, fail, isId, type WorkspaceId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectWorkspacesById } from "../workspaces/workspace-sql.ts";
import { workspaceToProto } from "../workspaces/workspace-to-proto.ts";

const MAX_IDS = 1_000;

export async function batchGetWorkspaces(context: Context, _caller: Caller, request: BatchGetWorkspacesRequest) {
  if (request.ids.length > MAX_IDS) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "at most 1000 ids" });
  }
  const rows = await selectWorkspacesById(context.db, request.ids.filter(isId) as WorkspaceId[]);
  return { workspaces: rows.map(workspaceToProto) };
}
