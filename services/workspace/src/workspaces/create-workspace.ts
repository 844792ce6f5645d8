import { type Caller, ownerFor } from "@cloud/access";
import { newId, parseMetadata, parseOrganizationId, type WorkspaceId } from "@cloud/access/values";
import type { CreateWorkspaceRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createOnce } from "@cloud/service";
import { lockOrganization } from "@cloud/service/references";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { appendActivity } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { createInOrganization } from "../organizations/ensure-organizations.ts";
import { workspaceToProto } from "../to-proto.ts";
import { parseNewTexts } from "./rules.ts";
import { insertWorkspace } from "./sql.ts";

export async function createWorkspace(context: Context, caller: Caller, request: CreateWorkspaceRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const metadata = parseMetadata(request.metadata);

  return await createInOrganization(context, caller, organizationId, async () => {
    const owner = ownerFor(caller, request.owner);
    return await createOnce(context, async (tx) => {
      const id = newId<WorkspaceId>();
      await lockOrganization(tx, caller, organizationId);
      // Parsed here: an organization that does not exist is reported before a text that is too long.
      const created = await insertWorkspace(tx, { id, organizationId, owner, metadata, ...parseNewTexts(request) });
      appendActivity(tx, workspaceActivity("create", created, owner));
      return { workspace: workspaceToProto(created) };
    });
  });
}
