import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { CreateWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, newId, ownerFor, parseOrganizationId, type WorkspaceId } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import type { Context } from "../context.ts";
import { lockOrganization, requireOrganization } from "../organizations/require-organization.ts";
import { parseNewTexts } from "./workspace-rules.ts";
import { insertWorkspace } from "./workspace-sql.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

export async function createWorkspace(context: Context, caller: Caller, request: CreateWorkspaceRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  await requireOrganization(context, caller, organizationId, Permission.CREATE_WORKSPACE);
  const texts = parseNewTexts(request);
  const owner = ownerFor(caller, request.owner);

  const workspace = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId, Permission.CREATE_WORKSPACE);
    const created = await insertWorkspace(tx, { id: newId<WorkspaceId>(), organizationId, owner, ...texts });
    await insertActivity(tx, workspaceActivity("create", created, owner));
    return created;
  });
  return { workspace: workspaceToProto(workspace) };
}
