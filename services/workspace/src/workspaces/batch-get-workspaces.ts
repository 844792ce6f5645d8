import type { Caller } from "@cloud/access";
import { parseIds, type WorkspaceId } from "@cloud/access/values";
import type { BatchGetWorkspacesRequest } from "@cloud/proto/workspace/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { workspaceToProto } from "../to-proto.ts";
import { selectWorkspaces } from "./sql.ts";

/** Returns the live workspaces among the ids. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetWorkspaces(context: Context, _caller: Caller, request: BatchGetWorkspacesRequest) {
  const rows = await selectWorkspaces(context.db, parseIds<WorkspaceId>(request.ids));
  return { workspaces: rows.map(workspaceToProto) };
}
