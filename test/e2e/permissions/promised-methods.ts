/**
 * Who may call each RPC, written by hand from the specification (section 5) and the contract (sections 2 and 5): none
 * of it is read from the product, so that a wrong option in proto/ fails. Data, and therefore long.
 */

/** The input that determines the organization, as worded in docs/permissions.md. */
export const DECIDED_BY = {
  record: "the organization that owns the record",
  recordOrOwner: "the organization that owns the record; the owner of the record needs no key",
  creation: "the organization in which it is created",
  list: "`orgId`; `all` needs View All Organizations",
  listOrCurrent: "`orgId`; `all` needs View All Organizations; without it the current organization",
  recordOrCaller: "the organization that the request names; without one none: the caller's own data",
  recordOrAll: "the organization that the request names; without one all, which needs View All Organizations",
  anyOrganization: "any organization of the caller",
  caller: "none: the caller's own data",
  service: "none: for services only",
} as const;

export type ServiceName = "workspace" | "environment" | "identity";

export type DecidedBy = keyof typeof DECIDED_BY;

/** Proto3 JSON; `$name` stands for a record that record-makers.ts creates for each call. */
export type MethodRequest = Readonly<Record<string, unknown>>;

export interface PromisedMethod {
  readonly decidedBy: DecidedBy;
  /** Absent if none is needed. */
  readonly permission?: string;
  /** The services that may call it with their own credential, besides the operator. Only with `service`. */
  readonly callers?: readonly ServiceName[];
  /** A well-formed request about records in an organization where the caller has the role User. */
  readonly request: MethodRequest;
  /** The same request about a record of the caller's own. Only with `recordOrOwner` and `recordOrCaller`. */
  readonly owned?: MethodRequest;
}

const byRecord = (request: MethodRequest, permission?: string): PromisedMethod => ({
  decidedBy: "record",
  request,
  ...(permission === undefined ? {} : { permission }),
});
const byOwner = (permission: string, request: MethodRequest, owned: MethodRequest): PromisedMethod => ({
  decidedBy: "recordOrOwner",
  permission,
  request,
  owned,
});
const creation = (permission: string, more: MethodRequest = {}): PromisedMethod => ({
  decidedBy: "creation",
  permission,
  request: { organizationId: "$organization", ...more },
});
const byList = (permission?: string): PromisedMethod => ({
  decidedBy: "list",
  request: { orgId: "$organization" },
  ...(permission === undefined ? {} : { permission }),
});
const own = (request: MethodRequest = {}): PromisedMethod => ({ decidedBy: "caller", request });
const service = (request: MethodRequest, ...callers: ServiceName[]): PromisedMethod => ({
  decidedBy: "service",
  callers,
  request,
});

const workspace = { id: "$workspace" };
const environment = { id: "$environment" };

const WORKSPACE_SERVICE: Readonly<Record<string, PromisedMethod>> = {
  CreateWorkspace: creation("Create Workspace"),
  ListWorkspaces: byList(),
  GetWorkspace: byRecord(workspace),
  UpdateWorkspace: byRecord({ ...workspace, name: "Renamed" }, "Edit Workspace"),
  DeleteWorkspace: byRecord(workspace, "Delete Workspace"),
  AssignTeam: byRecord({ ...workspace, teamId: "$team" }, "Assign team to workspace"),
  RemoveTeam: byRecord({ ...workspace, teamId: "$team" }, "Remove team from workspace"),
  AssignEnvironment: byRecord({ ...workspace, environmentId: "$environment" }, "Assign environment to workspace"),
  RemoveEnvironment: byRecord({ ...workspace, environmentId: "$environment" }, "Remove environment from workspace"),
  AssignDesign: byRecord({ ...workspace, designId: "$design" }, "Assign Designs to Workspaces"),
  RemoveDesign: byRecord({ ...workspace, designId: "$design" }, "Remove Designs from Workspaces"),
  AssignView: byRecord({ ...workspace, viewId: "$view" }, "Assign Views to Workspace"),
  RemoveView: byRecord({ ...workspace, viewId: "$view" }, "Unassign Views from Workspace"),
  ListWorkspaceTeams: byRecord(workspace),
  ListWorkspaceEnvironments: byRecord(workspace),
  ListWorkspaceDesigns: byRecord(workspace),
  ListWorkspaceViews: byRecord(workspace, "View Workspace"),
  ListWorkspaceEvents: byRecord(workspace, "View Workspace"),
  ListOrganizationEvents: byRecord({ organizationId: "$organization" }, "View Workspace"),
  ExportOrganizationEvents: byRecord({ organizationId: "$organization" }, "View Workspace"),
  WatchWorkspaceEvents: byRecord(workspace, "View Workspace"),
};

const ENVIRONMENT_SERVICE: Readonly<Record<string, PromisedMethod>> = {
  CreateEnvironment: creation("Create Environment"),
  ListEnvironments: byList(),
  GetEnvironment: byRecord(environment),
  UpdateEnvironment: byRecord({ ...environment, name: "Renamed" }, "Edit Environment"),
  DeleteEnvironment: byRecord(environment, "Delete Environment"),
  AssignConnection: byRecord({ ...environment, connectionId: "$connection" }, "Assign connections to environment"),
  RemoveConnection: byRecord({ ...environment, connectionId: "$connection" }, "Remove connections from environment"),
  ListEnvironmentConnections: byRecord(environment, "View Environment"),
  ProvisionEnvironment: service({ organizationId: "$organization" }),
};

export const PROMISED_METHODS: Readonly<Record<string, Readonly<Record<string, PromisedMethod>>>> = {
  "workspace.v1.WorkspaceService": WORKSPACE_SERVICE,
  "workspace.v1.DesignService": {
    CreateDesign: creation("View Workspace"),
    GetDesign: byRecord({ id: "$design" }),
    ListDesigns: byList(),
    UpdateDesign: byOwner("Manage Designs", { id: "$design", name: "Renamed" }, { id: "$ownDesign", name: "Renamed" }),
    DeleteDesign: byOwner("Manage Designs", { id: "$design" }, { id: "$ownDesign" }),
  },
  "workspace.v1.ViewService": {
    CreateView: creation("View Workspace"),
    GetView: byRecord({ id: "$view" }),
    ListViews: byList(),
    UpdateView: byOwner("Manage Views", { id: "$view", name: "Renamed" }, { id: "$ownView", name: "Renamed" }),
    DeleteView: byOwner("Manage Views", { id: "$view" }, { id: "$ownView" }),
  },
  "workspace.v1.AccessService": {
    CheckAccess: service({ userId: "$user", resourceKind: "team", resourceId: "$team" }),
  },
  "workspace.v1.DirectoryService": { BatchGetWorkspaces: service({ ids: ["$workspace"] }, "identity") },
  "environment.v1.EnvironmentService": ENVIRONMENT_SERVICE,
  "environment.v1.ConnectionService": {
    CreateConnection: creation("Manage Connections"),
    GetConnection: byRecord({ id: "$connection" }, "View Connections"),
    ListConnections: byList("View Connections"),
    UpdateConnection: byRecord({ id: "$connection", name: "Renamed" }, "Manage Connections"),
    DeleteConnection: byRecord({ id: "$connection" }, "Manage Connections"),
  },
  "environment.v1.CredentialService": {
    CreateCredential: creation("Manage Connections"),
    GetCredential: byRecord({ id: "$credential" }, "View Connections"),
    ListCredentials: byList("View Connections"),
    DeleteCredential: byRecord({ id: "$credential" }, "Manage Connections"),
  },
  "environment.v1.DirectoryService": {
    BatchGetEnvironments: service({ ids: ["$environment"] }, "workspace"),
    SelectEnvironments: service({ organizationId: "$organization" }, "workspace"),
    SelectEnvironmentsAmong: service({ organizationId: "$organization" }, "workspace"),
    ListConnectionEnvironments: service({ connectionId: "$connection" }, "workspace"),
  },
  "identity.v1.UserService": {
    GetProfile: own(),
    UpdatePreferences: own({ selectedOrganization: "$organization", selectedWorkspace: "$workspace" }),
    CreateUser: { decidedBy: "anyOrganization", permission: "Manage Users", request: { email: "$email" } },
    GetUser: own({ id: "$user" }),
  },
  "identity.v1.OrganizationService": {
    CreateOrganization: own({ name: "Another" }),
    GetOrganization: byRecord({ id: "$organization" }),
    ListOrganizations: own(),
    UpdateOrganization: byRecord({ id: "$freshOrganization", name: "Renamed" }, "Manage Organization"),
    DeleteOrganization: byRecord({ id: "$freshOrganization" }, "Manage Organization"),
    ListMembers: byRecord({ id: "$organization" }),
    ListOwnPermissions: byRecord({ id: "$organization" }),
    ListRoles: byRecord({ id: "$organization" }),
    SetMemberRoles: byRecord(
      { id: "$freshOrganization", userId: "$person", roleNames: ["User"] },
      "Manage Organization",
    ),
    RemoveMember: byOwner(
      "Manage Organization",
      { id: "$freshOrganization", userId: "$person" },
      { id: "$freshOrganization", userId: "$user" },
    ),
  },
  "identity.v1.InvitationService": {
    CreateInvitation: byRecord(
      { organizationId: "$organization", email: "$email", roleNames: ["User"] },
      "Manage Organization",
    ),
    AddMember: byRecord(
      { organizationId: "$freshOrganization", userId: "$person", roleNames: ["User"] },
      "Manage Organization",
    ),
    GetInvitation: {
      decidedBy: "recordOrCaller",
      permission: "Manage Organization",
      request: { organizationId: "$organization", id: "$invitation" },
      owned: { id: "$ownInvitation" },
    },
    ListInvitations: {
      decidedBy: "recordOrCaller",
      permission: "Manage Organization",
      request: { organizationId: "$organization" },
      owned: {},
    },
    RevokeInvitation: byRecord({ id: "$invitation" }, "Manage Organization"),
    AcceptInvitation: own({ id: "$ownInvitation" }),
    DeclineInvitation: own({ id: "$ownInvitation" }),
  },
  "identity.v1.AuditService": {
    ListAuditEvents: {
      decidedBy: "recordOrAll",
      permission: "View Audit Log",
      request: { organizationId: "$organization" },
    },
  },
  "identity.v1.TeamService": {
    CreateTeam: creation("Manage Teams"),
    GetTeam: byRecord({ id: "$team" }),
    ListTeams: byList(),
    UpdateTeam: byRecord({ id: "$team", name: "Renamed" }, "Manage Teams"),
    DeleteTeam: byRecord({ id: "$team" }, "Manage Teams"),
    ListTeamMembers: byRecord({ id: "$team" }),
    AddTeamMember: byRecord({ id: "$team", userId: "$user" }, "Manage Teams"),
    RemoveTeamMember: byRecord({ id: "$team", userId: "$user" }, "Manage Teams"),
  },
  "identity.v1.TokenService": {
    CreateToken: own({ name: "Another" }),
    GetToken: own({ id: "$token" }),
    ListTokens: own(),
    RevokeToken: own({ id: "$token" }),
  },
  "identity.v1.AuthService": {
    Authenticate: service({ token: "$secret" }, "workspace", "environment"),
    BatchAuthenticate: service({ tokens: ["$secret"] }, "workspace", "environment"),
  },
  "identity.v1.DirectoryService": {
    BatchGetOrganizations: service({ ids: ["$organization"] }, "workspace", "environment"),
    ListLiveOrganizationIds: service({}, "workspace", "environment"),
    BatchGetTeams: service({ ids: ["$team"] }, "workspace"),
    SelectTeams: service({ organizationId: "$organization" }, "workspace"),
    SelectTeamsAmong: service({ organizationId: "$organization" }, "workspace"),
    ListUserTeamIds: service({ userId: "$user" }, "workspace"),
  },
  "academy.v1.CurriculumService": {
    ListCurricula: { decidedBy: "listOrCurrent", request: { orgId: "$organization" } },
    GetCurriculum: byRecord({ id: "$curriculum" }),
    CreateCurriculum: creation("Manage Curricula", { title: "Another" }),
    RegisterForCurriculum: byRecord({ id: "$curriculum" }),
  },
  // Served by all three services; called at workspace.
  "cloud.api.v1.RecordStateService": {
    BatchGetRecordStates: service(
      { kind: "RECORD_KIND_WORKSPACE", ids: ["$workspace"] },
      "workspace",
      "environment",
      "identity",
    ),
  },
};
