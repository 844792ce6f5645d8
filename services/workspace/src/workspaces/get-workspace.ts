import type { GetWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Caller } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { findWorkspace } from "./find-workspace.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

export async function getWorkspace(context: Context, caller: Caller, request: GetWorkspaceRequest) {
  return { workspace: workspaceToProto(await findWorkspace(context, caller, request.id)) };
}
