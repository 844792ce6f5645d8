import { findMethod } from "./find-method.ts";

/** The RPC that creates each kind of record. */
export const CREATIONS: Readonly<Record<string, string>> = {
  workspace: "workspace.v1.WorkspaceService/CreateWorkspace",
  environment: "environment.v1.EnvironmentService/CreateEnvironment",
  platformEnvironment: "environment.v1.EnvironmentService/ProvisionEnvironment",
  team: "identity.v1.TeamService/CreateTeam",
  design: "workspace.v1.DesignService/CreateDesign",
  view: "workspace.v1.ViewService/CreateView",
  connection: "environment.v1.ConnectionService/CreateConnection",
  credential: "environment.v1.CredentialService/CreateCredential",
  organization: "identity.v1.OrganizationService/CreateOrganization",
};

/** How each kind of record is deleted. */
export const DELETIONS: Readonly<Record<string, string>> = {
  workspace: "workspace.v1.WorkspaceService/DeleteWorkspace",
  environment: "environment.v1.EnvironmentService/DeleteEnvironment",
  team: "identity.v1.TeamService/DeleteTeam",
  design: "workspace.v1.DesignService/DeleteDesign",
  view: "workspace.v1.ViewService/DeleteView",
  connection: "environment.v1.ConnectionService/DeleteConnection",
  organization: "identity.v1.OrganizationService/DeleteOrganization",
};

/** The kinds of record that are linked, as spelled in the RPCs after `Assign` and `Remove`. */
export const LINKS: Readonly<Record<string, string>> = {
  team: "workspace.v1.WorkspaceService/*Team",
  environment: "workspace.v1.WorkspaceService/*Environment",
  design: "workspace.v1.WorkspaceService/*Design",
  view: "workspace.v1.WorkspaceService/*View",
  connection: "environment.v1.EnvironmentService/*Connection",
};

/** The additional keys of every kind of step. */
export const GIVEN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(CREATIONS).map(([kind, rpc]) => [kind, creationOptions(kind, rpc)])),
  /** A separate user, in an organization with roles, for changes that would disturb the demo's users. */
  user: ["in", "roles"],
  /** Stores the id of an organization's workspace `My Workspace`. */
  myWorkspace: ["in"],
  assign: ["as"],
  remove: ["as"],
  delete: ["as"],
  /** Any RPC; `makes` is the variable for the returned record. */
  call: ["as", "request", "headers", "makes"],
};

/** Returns the fields of the request, with `in` for the id of the organization; `members` are added afterwards. */
function creationOptions(kind: string, rpc: string): readonly string[] {
  const fields = findMethod(rpc).desc.input.fields.map(({ jsonName }) =>
    jsonName === "organizationId" ? "in" : jsonName,
  );
  return ["as", ...fields, ...(["team", "organization"].includes(kind) ? ["members"] : [])];
}
