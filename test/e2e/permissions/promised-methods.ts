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

export type DecidedBy = keyof typeof DECIDED_BY;

export type ServiceName = "workspace" | "environment" | "identity";

/** The fields of a person that a reply contains. */
export type Seen = "name and email" | "name" | "nothing";

/** Proto3 JSON; `$name` stands for a record that record-makers.ts creates. */
export type MethodRequest = Readonly<Record<string, unknown>>;

export interface PromisedMethod extends Particulars {
  readonly decidedBy: DecidedBy;
  /** A well-formed request about records in an organization where the caller has a role. */
  readonly request: MethodRequest;
  /** Absent if none is needed. */
  readonly permission?: string | undefined;
}

interface Particulars {
  /** The key without which clients hide the operation. The server does not check it. */
  readonly uiOnly?: string;
  /** The services that may call it with their own credential, besides the operator. Only with `service`. */
  readonly callers?: readonly ServiceName[];
  /** The same request about a record of the caller's own. Only with `recordOrOwner` and `recordOrCaller`. */
  readonly owned?: MethodRequest;
  /** The error for members of other organizations only, if it does not name the record that the request does. */
  readonly notFound?: string;
  /** The error for the operator, who is no user. */
  readonly toOperator?: string;
  /** The part of the person in the reply that members see. Admins of the person's organizations see the email, too. */
  readonly sees?: Seen;
  /** The request that searches for the email of the person, which finds no email that the caller does not see. */
  readonly searched?: MethodRequest;
}

const by = (decidedBy: DecidedBy) => {
  return (request: MethodRequest, permission?: string, particulars: Particulars = {}): PromisedMethod => {
    return { decidedBy, request, permission, ...particulars };
  };
};
const byRecord = by("record");
const byOwner = by("recordOrOwner");
const creation = (key: string, more = {}) => by("creation")({ organizationId: "$organization", ...more }, key);
const byList = (key?: string, particulars = {}) => by("list")({ orgId: "$organization" }, key, particulars);
const own = (request = {}, particulars = {}) => by("caller")(request, undefined, particulars);
const service = (request: MethodRequest, ...callers: ServiceName[]) => by("service")(request, undefined, { callers });

/** The operator is no user. */
const asUser = { toOperator: "404 user not found" };
const workspace = { id: "$workspace" };
const environment = { id: "$environment" };
const organization = { id: "$organization" };
const inside = { organizationId: "$organization" };

export const PROMISED_METHODS: Readonly<Record<string, Readonly<Record<string, PromisedMethod>>>> = {
  "workspace.v1.WorkspaceService": {
    CreateWorkspace: creation("Create Workspace"),
    ListWorkspaces: byList(undefined, { uiOnly: "View Workspace" }),
    GetWorkspace: byRecord(workspace, undefined, { uiOnly: "View Workspace" }),
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
    ListOrganizationEvents: byRecord(inside, "View Workspace"),
    ExportOrganizationEvents: byRecord(inside, "View Workspace"),
    WatchWorkspaceEvents: byRecord(workspace, "View Workspace"),
  },
  "workspace.v1.DesignService": {
    CreateDesign: creation("View Workspace"),
    GetDesign: byRecord({ id: "$design" }),
    ListDesigns: byList(),
    UpdateDesign: byOwner({ id: "$design", name: "Renamed" }, "Manage Designs", {
      owned: { id: "$ownDesign", name: "Renamed" },
    }),
    DeleteDesign: byOwner({ id: "$design" }, "Manage Designs", { owned: { id: "$ownDesign" } }),
  },
  "workspace.v1.ViewService": {
    CreateView: creation("View Workspace"),
    GetView: byRecord({ id: "$view" }),
    ListViews: byList(),
    UpdateView: byOwner({ id: "$view", name: "Renamed" }, "Manage Views", {
      owned: { id: "$ownView", name: "Renamed" },
    }),
    DeleteView: byOwner({ id: "$view" }, "Manage Views", { owned: { id: "$ownView" } }),
  },
  "workspace.v1.AccessService": {
    CheckAccess: service({ userId: "$caller", resourceKind: "team", resourceId: "$team" }),
  },
  "workspace.v1.DirectoryService": { BatchGetWorkspaces: service({ ids: ["$workspace"] }, "identity") },
  "environment.v1.EnvironmentService": {
    CreateEnvironment: creation("Create Environment"),
    ListEnvironments: byList(undefined, { uiOnly: "View Environment" }),
    GetEnvironment: byRecord(environment, undefined, { uiOnly: "View Environment" }),
    UpdateEnvironment: byRecord({ ...environment, name: "Renamed" }, "Edit Environment"),
    DeleteEnvironment: byRecord(environment, "Delete Environment", {
      notFound: "no environment with the requested id",
    }),
    AssignConnection: byRecord({ ...environment, connectionId: "$connection" }, "Assign connections to environment"),
    RemoveConnection: byRecord({ ...environment, connectionId: "$connection" }, "Remove connections from environment"),
    ListEnvironmentConnections: byRecord(environment, "View Environment"),
    ProvisionEnvironment: service(inside),
  },
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
    SelectEnvironments: service(inside, "workspace"),
    SelectEnvironmentsAmong: service(inside, "workspace"),
    ListConnectionEnvironments: service({ connectionId: "$connection" }, "workspace"),
  },
  "identity.v1.UserService": {
    GetProfile: own({}, { ...asUser, sees: "name and email" }),
    UpdatePreferences: own(
      { selectedOrganization: "$organization", selectedWorkspace: "$workspace" },
      { ...asUser, notFound: "organization not found" },
    ),
    CreateUser: by("anyOrganization")({ email: "$email" }, "Manage Users"),
    GetUser: own({ id: "$member" }, { notFound: "user not found", sees: "name" }),
  },
  "identity.v1.OrganizationService": {
    CreateOrganization: own({ name: "Another" }),
    GetOrganization: byRecord(organization),
    ListOrganizations: own(),
    UpdateOrganization: byRecord({ ...organization, name: "Renamed" }, "Manage Organization"),
    DeleteOrganization: byRecord({ id: "$freshOrganization" }, "Manage Organization"),
    ListMembers: byRecord({ ...organization, search: "$memberName" }, undefined, {
      searched: { ...organization, search: "$memberEmail" },
      sees: "name",
    }),
    ListOwnPermissions: byRecord(organization),
    ListRoles: byRecord(organization),
    SetMemberRoles: byRecord({ ...organization, userId: "$member", roleNames: ["User"] }, "Manage Organization"),
    RemoveMember: byOwner({ ...organization, userId: "$member" }, "Manage Organization", {
      owned: { id: "$freshOrganization", userId: "$caller" },
    }),
  },
  "identity.v1.InvitationService": {
    CreateInvitation: byRecord({ ...inside, email: "$email", roleNames: ["User"] }, "Manage Organization"),
    AddMember: byRecord({ ...inside, userId: "$person", roleNames: ["User"] }, "Manage Organization"),
    GetInvitation: by("recordOrCaller")({ ...inside, id: "$invitation" }, "Manage Organization", {
      owned: { id: "$ownInvitation" },
    }),
    ListInvitations: by("recordOrCaller")(inside, "Manage Organization", { owned: {} }),
    RevokeInvitation: byRecord({ id: "$invitation" }, "Manage Organization"),
    AcceptInvitation: own({ id: "$ownInvitation" }, asUser),
    DeclineInvitation: own({ id: "$ownInvitation" }, asUser),
  },
  "identity.v1.AuditService": { ListAuditEvents: by("recordOrAll")(inside, "View Audit Log") },
  "identity.v1.TeamService": {
    CreateTeam: creation("Manage Teams"),
    GetTeam: byRecord({ id: "$team" }),
    ListTeams: byList(),
    UpdateTeam: byRecord({ id: "$team", name: "Renamed" }, "Manage Teams"),
    DeleteTeam: byRecord({ id: "$team" }, "Manage Teams"),
    ListTeamMembers: byRecord({ id: "$memberTeam" }, undefined, {
      searched: { id: "$memberTeam", search: "$memberEmail" },
      sees: "name",
    }),
    AddTeamMember: byRecord({ id: "$team", userId: "$member" }, "Manage Teams"),
    RemoveTeamMember: byRecord({ id: "$team", userId: "$member" }, "Manage Teams"),
  },
  "identity.v1.TokenService": {
    CreateToken: own({ name: "Another" }, asUser),
    GetToken: own({ id: "$ownToken" }),
    ListTokens: own({}, { toOperator: "400 user_id must be the id of a user" }),
    RevokeToken: own({ id: "$ownToken" }),
  },
  "identity.v1.AuthService": {
    Authenticate: service({ token: "$secret" }, "workspace", "environment"),
    BatchAuthenticate: service({ tokens: ["$secret"] }, "workspace", "environment"),
  },
  "identity.v1.DirectoryService": {
    BatchGetOrganizations: service({ ids: ["$organization"] }, "workspace", "environment"),
    ListLiveOrganizationIds: service({}, "workspace", "environment"),
    BatchGetTeams: service({ ids: ["$team"] }, "workspace"),
    SelectTeams: service(inside, "workspace"),
    SelectTeamsAmong: service(inside, "workspace"),
    ListUserTeamIds: service({ userId: "$caller" }, "workspace"),
  },
  "academy.v1.CurriculumService": {
    ListCurricula: by("listOrCurrent")({ orgId: "$organization" }),
    GetCurriculum: byRecord({ id: "$curriculum" }),
    CreateCurriculum: creation("Manage Curricula", { title: "Another" }),
    RegisterForCurriculum: byRecord({ id: "$curriculum" }, undefined, asUser),
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
