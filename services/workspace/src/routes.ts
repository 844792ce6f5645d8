import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { bindHandlers, bindStreams, type CallContext } from "@cloud/service";
import type { ConnectRouter } from "@connectrpc/connect";
import { checkAccess } from "./access/check-access.ts";
import { exportOrganizationEvents } from "./activity/export-organization-events.ts";
import { listOrganizationEvents } from "./activity/list-organization-events.ts";
import { assignmentHandlers } from "./assignments/handlers.ts";
import { designs, environments, teams, views } from "./assignments/link-types.ts";
import {
  listWorkspaceDesigns,
  listWorkspaceEnvironments,
  listWorkspaceTeams,
  listWorkspaceViews,
} from "./assignments/list-resources.ts";
import type { Context, StreamingContext } from "./context.ts";
import { itemHandlers } from "./library/handlers.ts";
import * as kinds from "./library/sql.ts";
import { watchWorkspaceEvents } from "./watches/watch-workspace-events.ts";
import { batchGetWorkspaces } from "./workspaces/batch-get-workspaces.ts";
import { createWorkspace } from "./workspaces/create-workspace.ts";
import { deleteWorkspace } from "./workspaces/delete-workspace.ts";
import { getWorkspace } from "./workspaces/get-workspace.ts";
import { listWorkspaceEvents } from "./workspaces/list-workspace-events.ts";
import { listWorkspaces } from "./workspaces/list-workspaces.ts";
import { updateWorkspace } from "./workspaces/update-workspace.ts";

const team = assignmentHandlers(teams, "teamId");
const environment = assignmentHandlers(environments, "environmentId");
const design = assignmentHandlers(designs, "designId");
const view = assignmentHandlers(views, "viewId");

const library = {
  designs: itemHandlers(kinds.designs, "design", "designs"),
  views: itemHandlers(kinds.views, "view", "views"),
};

/** The services of `registerRoutes`, listed by reflection and health. */
export const services = [WorkspaceService, DesignService, ViewService, AccessService, DirectoryService];

/** Registers the handler of every RPC of workspace.v1. */
export function registerRoutes(router: ConnectRouter, context: Omit<StreamingContext, keyof CallContext>): void {
  const handle = bindHandlers<Context>(context);
  const stream = bindStreams<StreamingContext>(context);

  router.service(WorkspaceService, {
    createWorkspace: handle(createWorkspace),
    listWorkspaces: handle(listWorkspaces),
    getWorkspace: handle(getWorkspace),
    updateWorkspace: handle(updateWorkspace),
    deleteWorkspace: handle(deleteWorkspace),
    assignTeam: handle(team.assign),
    removeTeam: handle(team.remove),
    assignEnvironment: handle(environment.assign),
    removeEnvironment: handle(environment.remove),
    assignDesign: handle(design.assign),
    removeDesign: handle(design.remove),
    assignView: handle(view.assign),
    removeView: handle(view.remove),
    listWorkspaceTeams: handle(listWorkspaceTeams),
    listWorkspaceEnvironments: handle(listWorkspaceEnvironments),
    listWorkspaceDesigns: handle(listWorkspaceDesigns),
    listWorkspaceViews: handle(listWorkspaceViews),
    listWorkspaceEvents: handle(listWorkspaceEvents),
    listOrganizationEvents: handle(listOrganizationEvents),
    exportOrganizationEvents: stream(exportOrganizationEvents),
    watchWorkspaceEvents: stream(watchWorkspaceEvents),
  });
  router.service(DesignService, {
    createDesign: handle(library.designs.create),
    getDesign: handle(library.designs.get),
    listDesigns: handle(library.designs.list),
    updateDesign: handle(library.designs.update),
    deleteDesign: handle(library.designs.delete),
  });
  router.service(ViewService, {
    createView: handle(library.views.create),
    getView: handle(library.views.get),
    listViews: handle(library.views.list),
    updateView: handle(library.views.update),
    deleteView: handle(library.views.delete),
  });
  router.service(AccessService, { checkAccess: handle(checkAccess) });
  router.service(DirectoryService, { batchGetWorkspaces: handle(batchGetWorkspaces) });
}
