import { outdated, refuse, refuseUser } from "./refusals.ts";
import { inFirst, list } from "./requests.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const workspaces: Readonly<Record<string, SurfaceExample>> = {
  "workspace.v1.WorkspaceService/CreateWorkspace": {
    succeeds: inFirst,
    fails: [
      refuse("WORKSPACE_CREATE_FAILED", { organizationId: "$first", name: "$long" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      refuseUser(inFirst),
    ],
  },
  "workspace.v1.WorkspaceService/ListWorkspaces": {
    given: ["workspace"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("ORG_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
      refuse("INVALID_PARAMETER", { orgId: "$first", page: -1 }),
      refuseUser({ orgId: "all" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "workspace.v1.WorkspaceService/GetWorkspace": {
    given: ["workspace"],
    succeeds: { id: "$workspace" },
    fails: [
      refuse("WORKSPACE_NOT_FOUND", { id: "not an id / at all" }),
      { as: "anonymous", request: { id: "$workspace" }, reason: "UNAUTHENTICATED" },
    ],
  },
  "workspace.v1.WorkspaceService/UpdateWorkspace": {
    given: ["workspace"],
    succeeds: { id: "$workspace", description: "Changed" },
    fails: [
      outdated({ id: "$workspace", name: "$tag" }),
      refuse("WORKSPACE_UPDATE_EMPTY", { id: "$workspace" }),
      refuse("WORKSPACE_UPDATE_FAILED", { id: "$workspace", name: "$long" }),
    ],
  },
  "workspace.v1.WorkspaceService/DeleteWorkspace": {
    given: ["workspace"],
    succeeds: { id: "$workspace" },
    fails: [
      outdated({ id: "$workspace" }),
      refuseUser({ id: "$workspace" }),
      refuse("WORKSPACE_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
  "workspace.v1.WorkspaceService/AssignTeam": {
    given: ["workspace", "team"],
    succeeds: { id: "$workspace", teamId: "$team" },
    fails: [
      refuse("TEAM_NOT_FOUND", { id: "$workspace", teamId: "$nowhere" }),
      refuse("TEAM_IN_OTHER_ORGANIZATION", { id: "$workspace", teamId: "$foreignTeam" }),
    ],
  },
  "workspace.v1.WorkspaceService/RemoveTeam": {
    given: ["workspace", "team", "teamInWorkspace"],
    succeeds: { id: "$workspace", teamId: "$team" },
    fails: [refuse("TEAM_ASSIGNMENT_NOT_FOUND", { id: "$workspace", teamId: "$nowhere" })],
  },
  "workspace.v1.WorkspaceService/AssignEnvironment": {
    given: ["workspace", "environment", "foreignEnvironment"],
    succeeds: { id: "$workspace", environmentId: "$environment" },
    fails: [
      refuse("ENVIRONMENT_NOT_ATTACHABLE", { id: "$workspace", environmentId: "$platform" }),
      refuse("ENVIRONMENT_IN_OTHER_ORGANIZATION", { id: "$workspace", environmentId: "$foreignEnvironment" }),
    ],
  },
  "workspace.v1.WorkspaceService/RemoveEnvironment": {
    given: ["workspace", "environment", "environmentInWorkspace"],
    succeeds: { id: "$workspace", environmentId: "$environment" },
    fails: [refuse("ENVIRONMENT_ASSIGNMENT_NOT_FOUND", { id: "$workspace", environmentId: "$ordinary" })],
  },
  "workspace.v1.WorkspaceService/AssignDesign": {
    given: ["workspace", "design", "foreignDesign"],
    succeeds: { id: "$workspace", designId: "$design" },
    fails: [
      refuse("DESIGN_NOT_FOUND", { id: "$workspace", designId: "$nowhere" }),
      refuse("DESIGN_IN_OTHER_ORGANIZATION", { id: "$workspace", designId: "$foreignDesign" }),
    ],
  },
  "workspace.v1.WorkspaceService/RemoveDesign": {
    given: ["workspace", "design", "designInWorkspace"],
    succeeds: { id: "$workspace", designId: "$design" },
    fails: [refuse("DESIGN_ASSIGNMENT_NOT_FOUND", { id: "$workspace", designId: "$nowhere" })],
  },
  "workspace.v1.WorkspaceService/AssignView": {
    given: ["workspace", "view", "foreignView"],
    succeeds: { id: "$workspace", viewId: "$view" },
    fails: [
      refuse("VIEW_NOT_FOUND", { id: "$workspace", viewId: "$nowhere" }),
      refuse("VIEW_IN_OTHER_ORGANIZATION", { id: "$workspace", viewId: "$foreignView" }),
    ],
  },
  "workspace.v1.WorkspaceService/RemoveView": {
    given: ["workspace", "view", "viewInWorkspace"],
    succeeds: { id: "$workspace", viewId: "$view" },
    fails: [refuse("VIEW_ASSIGNMENT_NOT_FOUND", { id: "$workspace", viewId: "$nowhere" })],
  },
  "workspace.v1.WorkspaceService/ListWorkspaceTeams": {
    given: ["workspace", "team", "teamInWorkspace"],
    succeeds: { id: "$workspace", ...list },
    fails: [refuse("WORKSPACE_NOT_FOUND", { id: "$nowhere" })],
  },
  "workspace.v1.WorkspaceService/ListWorkspaceEnvironments": {
    given: ["workspace", "environment"],
    succeeds: { id: "$workspace", filter: { assigned: false }, ...list },
    fails: [refuse("INVALID_PARAMETER", { id: "$workspace", order: "created_at upwards" })],
  },
  "workspace.v1.WorkspaceService/ListWorkspaceDesigns": {
    given: ["workspace", "design"],
    succeeds: { id: "$workspace", filter: { assigned: false }, visibility: ["private", "public"], ...list },
    fails: [refuse("INVALID_PARAMETER", { id: "$workspace", visibility: ["secret"] })],
  },
  "workspace.v1.WorkspaceService/ListWorkspaceViews": {
    given: ["workspace", "view", "viewInWorkspace"],
    succeeds: { id: "$workspace", filter: { assigned: true }, visibility: ["published"], ...list },
    fails: [refuse("INVALID_PARAMETER", { id: "$workspace", visibility: ["published", ""], pageSize: -1 })],
  },
  "workspace.v1.WorkspaceService/ListWorkspaceEvents": {
    given: ["workspace", "team", "teamInWorkspace"],
    succeeds: { id: "$workspace", order: "created_at asc" },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$workspace", order: "name" }),
      refuse("INVALID_PARAMETER", { id: "$workspace", cursor: "x" }),
    ],
  },
  "workspace.v1.WorkspaceService/ListOrganizationEvents": {
    given: ["workspace"],
    succeeds: { organizationId: "$first", pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$first", cursor: "x" }),
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second" }),
    ],
  },
};
