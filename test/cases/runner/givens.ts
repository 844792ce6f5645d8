/** A kind of `given` that creates something: the RPC, and the other keys that the step may have. */
export interface Creation {
  readonly rpc: string;
  readonly options: readonly string[];
}

const NAMED = ["in", "as", "name", "description"] as const;
const OWNED = [...NAMED, "owner"] as const;

/** How each kind of record is created. All are created in an organization, except the organization itself. */
export const CREATIONS: Readonly<Record<string, Creation>> = {
  workspace: { rpc: "workspace.v1.WorkspaceService/CreateWorkspace", options: OWNED },
  environment: { rpc: "environment.v1.EnvironmentService/CreateEnvironment", options: NAMED },
  platformEnvironment: { rpc: "environment.v1.EnvironmentService/ProvisionEnvironment", options: NAMED },
  team: { rpc: "identity.v1.TeamService/CreateTeam", options: [...OWNED, "members"] },
  design: { rpc: "workspace.v1.DesignService/CreateDesign", options: [...OWNED, "visibility"] },
  view: { rpc: "workspace.v1.ViewService/CreateView", options: [...OWNED, "visibility"] },
  connection: {
    rpc: "environment.v1.ConnectionService/CreateConnection",
    options: [...OWNED, "kind", "type", "status"],
  },
  credential: { rpc: "environment.v1.CredentialService/CreateCredential", options: [...OWNED, "type"] },
  organization: {
    rpc: "identity.v1.OrganizationService/CreateOrganization",
    options: ["as", "owner", "name", "description", "members"],
  },
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
  ...Object.fromEntries(Object.entries(CREATIONS).map(([kind, { options }]) => [kind, options])),
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
