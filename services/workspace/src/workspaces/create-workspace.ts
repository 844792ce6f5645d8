import { type Caller, newId, ownerFor, parseMetadata, parseOrganizationId, type WorkspaceId } from "@cloud/contract";
import type { CreateWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createOnce, lockOrganization } from "@cloud/service";
import { appendActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import type { Context } from "../context.ts";
import { requireOrganization } from "../organizations/require-organization.ts";
import { parseNewTexts } from "./workspace-rules.ts";
import { insertWorkspace } from "./workspace-sql.ts";
import { workspaceToProto } from "./workspace-to-proto.ts";

export async function createWorkspace(context: Context, caller: Caller, request: CreateWorkspaceRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const metadata = parseMetadata(request.metadata);
  await requireOrganization(context, caller, organizationId);
  const texts = parseNewTexts(request);
  const owner = ownerFor(caller, request.owner);

  return await createOnce(context, async (tx) => {
    const id = newId<WorkspaceId>();
    await lockOrganization(tx, caller, organizationId);
    const created = await insertWorkspace(tx, { id, organizationId, owner, metadata, ...texts });
    await appendActivity(tx, workspaceActivity("create", created, owner));
    return { workspace: workspaceToProto(created) };
  });
}
