import type { Caller } from "@cloud/access";
import type { GetWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { workspaceToProto } from "../to-proto.ts";
import { requireWorkspace } from "./require-workspace.ts";

export async function getWorkspace(context: Context, caller: Caller, request: GetWorkspaceRequest) {
  return { workspace: workspaceToProto(await requireWorkspace(context, caller, request.id)) };
}
