import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, callerOf } from "@cloud/rpc";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { checkAccess } from "./access/check-access.ts";
import { listWorkspaceEvents } from "./activity/list-workspace-events.ts";
import { assignResource } from "./assignments/assign-resource.ts";
import { assignmentToProto } from "./assignments/assignment-to-proto.ts";
import { designs } from "./assignments/designs.ts";
import { environments } from "./assignments/environments.ts";
import { listWorkspaceDesigns } from "./assignments/list-workspace-designs.ts";
import { listWorkspaceEnvironments } from "./assignments/list-workspace-environments.ts";
import { listWorkspaceTeams } from "./assignments/list-workspace-teams.ts";
import { listWorkspaceViews } from "./assignments/list-workspace-views.ts";
import { removeResource } from "./assignments/remove-resource.ts";
import { teams } from "./assignments/teams.ts";
import { views } from "./assignments/views.ts";
import type { Context } from "./context.ts";
import { batchGetWorkspaces } from "./directory/batch-get-workspaces.ts";
import { createItem } from "./library/create-item.ts";
import { deleteItem } from "./library/delete-item.ts";
import { findItem } from "./library/find-item.ts";
import { itemToProto } from "./library/item-to-proto.ts";
import * as library from "./library/library-kind.ts";
import { listItems } from "./library/list-items.ts";
import { updateItem } from "./library/update-item.ts";
import { createWorkspace } from "./workspaces/create-workspace.ts";
import { deleteWorkspace } from "./workspaces/delete-workspace.ts";
import { getWorkspace } from "./workspaces/get-workspace.ts";
import { listWorkspaces } from "./workspaces/list-workspaces.ts";
import { updateWorkspace } from "./workspaces/update-workspace.ts";

type Handler<Request, Reply> = (context: Context, caller: Caller, request: Request) => Promise<Reply>;

/** What `registerRoutes` serves, for reflection and health. */
export const services = [WorkspaceService, DesignService, ViewService, AccessService, DirectoryService];

/** Every RPC of workspace.v1 and the handler that answers it. */
export function registerRoutes(router: ConnectRouter, context: Context): void {
  const by =
    <Request, Reply>(handler: Handler<Request, Reply>) =>
    (request: Request, rpc: HandlerContext) =>
      handler(context, callerOf(rpc), request);

  router.service(WorkspaceService, {
    createWorkspace: by(createWorkspace),
    listWorkspaces: by(listWorkspaces),
    getWorkspace: by(getWorkspace),
    updateWorkspace: by(updateWorkspace),
    deleteWorkspace: by(deleteWorkspace),
    assignTeam: by(async (c, caller, { id, teamId }) => {
      const link = await assignResource(c, caller, teams, { workspaceId: id, resourceId: teamId });
      return { assignment: { ...assignmentToProto(link), teamId: link.resource_id } };
    }),
    removeTeam: by(async (c, caller, { id, teamId }) => {
      await removeResource(c, caller, teams, { workspaceId: id, resourceId: teamId });
      return {};
    }),
    assignEnvironment: by(async (c, caller, { id, environmentId }) => {
      const link = await assignResource(c, caller, environments, { workspaceId: id, resourceId: environmentId });
      return { assignment: { ...assignmentToProto(link), environmentId: link.resource_id } };
    }),
    removeEnvironment: by(async (c, caller, { id, environmentId }) => {
      await removeResource(c, caller, environments, { workspaceId: id, resourceId: environmentId });
      return {};
    }),
    assignDesign: by(async (c, caller, { id, designId }) => {
      const link = await assignResource(c, caller, designs, { workspaceId: id, resourceId: designId });
      return { assignment: { ...assignmentToProto(link), designId: link.resource_id } };
    }),
    removeDesign: by(async (c, caller, { id, designId }) => {
      await removeResource(c, caller, designs, { workspaceId: id, resourceId: designId });
      return {};
    }),
    assignView: by(async (c, caller, { id, viewId }) => {
      const link = await assignResource(c, caller, views, { workspaceId: id, resourceId: viewId });
      return { assignment: { ...assignmentToProto(link), viewId: link.resource_id } };
    }),
    removeView: by(async (c, caller, { id, viewId }) => {
      await removeResource(c, caller, views, { workspaceId: id, resourceId: viewId });
      return {};
    }),
    listWorkspaceTeams: by(listWorkspaceTeams),
    listWorkspaceEnvironments: by(listWorkspaceEnvironments),
    listWorkspaceDesigns: by(listWorkspaceDesigns),
    listWorkspaceViews: by(listWorkspaceViews),
    listWorkspaceEvents: by(listWorkspaceEvents),
  });
  router.service(DesignService, {
    createDesign: by(async (c, caller, request) => ({ design: await createItem(c, caller, library.designs, request) })),
    getDesign: by(async (c, caller, { id }) => ({
      design: itemToProto(await findItem(c, caller, library.designs, id)),
    })),
    listDesigns: by(async (c, caller, request) => {
      const { items, ...page } = await listItems(c, caller, library.designs, request);
      return { ...page, designs: items };
    }),
    updateDesign: by(async (c, caller, request) => ({ design: await updateItem(c, caller, library.designs, request) })),
    deleteDesign: by(async (c, caller, request) => {
      await deleteItem(c, caller, library.designs, request);
      return {};
    }),
  });
  router.service(ViewService, {
    createView: by(async (c, caller, request) => ({ view: await createItem(c, caller, library.views, request) })),
    getView: by(async (c, caller, { id }) => ({ view: itemToProto(await findItem(c, caller, library.views, id)) })),
    listViews: by(async (c, caller, request) => {
      const { items, ...page } = await listItems(c, caller, library.views, request);
      return { ...page, views: items };
    }),
    updateView: by(async (c, caller, request) => ({ view: await updateItem(c, caller, library.views, request) })),
    deleteView: by(async (c, caller, request) => {
      await deleteItem(c, caller, library.views, request);
      return {};
    }),
  });
  router.service(AccessService, { checkAccess: by(checkAccess) });
  router.service(DirectoryService, { batchGetWorkspaces: by(batchGetWorkspaces) });
}
