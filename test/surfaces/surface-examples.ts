/**
 * One success and at least one failure of every RPC that has a REST form; surface-equality.e2e.test.ts plays them by
 * every surface and fails if one is missing. Data, and therefore long.
 */

export interface SurfaceExample {
  /** A demo user; `orgAdmin` if absent. */
  readonly as?: SurfaceCaller;
  /** Records created before, in order, each referenced by its name afterwards. */
  readonly given?: readonly GivenName[];
  /** In proto3 JSON; `$name` is the name of a given record, an id of the demo, or a text of the example's own. */
  readonly succeeds: Readonly<Record<string, unknown>>;
  readonly fails: readonly SurfaceFailure[];
}

export interface SurfaceFailure {
  /** `service` is the operator, whose credential the gateway does not accept. */
  readonly as?: SurfaceCaller | "anonymous" | "service";
  readonly request: Readonly<Record<string, unknown>>;
  /** As in ErrorInfo and the REST body. */
  readonly reason: string;
}

export type SurfaceCaller = "user" | "teamAdmin" | "workspaceAdmin" | "orgAdmin" | "providerAdmin";

export interface GivenStep {
  readonly method?: "POST" | "PUT";
  /** The segments after `/api`. */
  readonly path: readonly string[];
  readonly body?: Readonly<Record<string, unknown>>;
}

const own = { organizationId: "$first", name: "$tag", owner: "$orgAdmin" };
const foreign = { organizationId: "$second", name: "$tag", owner: "$outsider" };

/** REST requests that create the given records, as the operator. */
export const GIVEN = {
  workspace: { path: ["workspaces"], body: own },
  environment: { path: ["environments"], body: own },
  team: { path: ["identity", "teams"], body: own },
  design: { path: ["designs"], body: { ...own, visibility: "public" } },
  view: { path: ["views"], body: { ...own, visibility: "published" } },
  connection: { path: ["connections"], body: { ...own, kind: "git", type: "code", metadata: { zone: "a", size: 3 } } },
  credential: { path: ["credentials"], body: { ...own, type: "token" } },
  curriculum: { path: ["academy", "curricula"], body: { organizationId: "$first", title: "$tag" } },
  organization: { path: ["identity", "organizations"], body: { name: "$tag", owner: "$orgAdmin" } },
  person: { path: ["identity", "users"], body: { email: "$takenEmail" } },
  token: { path: ["identity", "tokens"], body: { name: "$tag", userId: "$orgAdmin" } },
  foreignEnvironment: { path: ["environments"], body: foreign },
  foreignDesign: { path: ["designs"], body: { ...foreign, visibility: "published" } },
  foreignView: { path: ["views"], body: { ...foreign, visibility: "published" } },
  foreignConnection: { path: ["connections"], body: foreign },
  teamInWorkspace: { path: ["workspaces", "$workspace", "teams", "$team"] },
  environmentInWorkspace: { path: ["workspaces", "$workspace", "environments", "$environment"] },
  designInWorkspace: { path: ["workspaces", "$workspace", "designs", "$design"] },
  viewInWorkspace: { path: ["workspaces", "$workspace", "views", "$view"] },
  connectionInEnvironment: { path: ["environments", "$environment", "connections", "$connection"] },
  memberOfTeam: { path: ["identity", "teams", "$team", "members", "$user"] },
  invitation: {
    path: ["identity", "organizations", "$organization", "invitations"],
    body: { userId: "$teamAdmin", roleNames: ["Team Admin"] },
  },
  invitationByEmail: {
    path: ["identity", "organizations", "$organization", "invitations"],
    body: { email: "$email", roleNames: ["User"] },
  },
  memberOfOrganization: {
    method: "PUT",
    path: ["identity", "organizations", "$organization", "members", "$teamAdmin"],
    body: { roleNames: ["User"] },
  },
} as const satisfies Readonly<Record<string, GivenStep>>;

export type GivenName = keyof typeof GIVEN;

const refuse = (reason: string, request: Readonly<Record<string, unknown>>): SurfaceFailure => ({ reason, request });
const refuseUser = (request: Readonly<Record<string, unknown>>): SurfaceFailure => ({
  as: "user",
  reason: "PERMISSION_DENIED",
  request,
});
const list = { search: "$tag", order: "updated_at asc", page: 0, pageSize: 10 };
const inFirst = { organizationId: "$first", name: "$tag", description: 'é ☃ \u{1F600} "quoted" \\ /' };

const workspaces: Readonly<Record<string, SurfaceExample>> = {
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
      refuse("WORKSPACE_UPDATE_EMPTY", { id: "$workspace" }),
      refuse("WORKSPACE_UPDATE_FAILED", { id: "$workspace", name: "$long" }),
    ],
  },
  "workspace.v1.WorkspaceService/DeleteWorkspace": {
    given: ["workspace"],
    succeeds: { id: "$workspace" },
    fails: [refuseUser({ id: "$workspace" }), refuse("WORKSPACE_NOT_FOUND", { id: "$nowhere" })],
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

const itemExamples = (kind: "design" | "view"): Readonly<Record<string, SurfaceExample>> => {
  const [Kind, KIND] = kind === "design" ? ["Design", "DESIGN"] : ["View", "VIEW"];
  const service = "workspace.v1." + Kind + "Service/";
  const id = "$" + kind;
  return {
    [service + "Create" + Kind]: {
      succeeds: { ...inFirst, visibility: "published" },
      fails: [
        refuse("INVALID_PARAMETER", { ...inFirst, visibility: "secret" }),
        refuse("ORGANIZATION_ID_REQUIRED", {}),
        refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      ],
    },
    [service + "Get" + Kind]: {
      given: [kind],
      succeeds: { id },
      fails: [refuse(KIND + "_NOT_FOUND", { id: "$nowhere" })],
    },
    [service + "List" + Kind + "s"]: {
      given: [kind],
      succeeds: { orgId: "$first", visibility: ["public", "published"], ...list },
      fails: [
        refuse("ORG_ID_REQUIRED", {}),
        refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
        { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
      ],
    },
    [service + "Update" + Kind]: {
      given: [kind],
      succeeds: { id, visibility: "private" },
      fails: [
        refuse("INVALID_PARAMETER", { id, name: "$long" }),
        refuse(KIND + "_NOT_FOUND", { id: "$nowhere", visibility: "private" }),
      ],
    },
    [service + "Delete" + Kind]: {
      given: [kind],
      succeeds: { id },
      fails: [refuseUser({ id }), refuse(KIND + "_NOT_FOUND", { id: "$nowhere" })],
    },
  };
};

const environments: Readonly<Record<string, SurfaceExample>> = {
  "environment.v1.EnvironmentService/CreateEnvironment": {
    succeeds: inFirst,
    fails: [refuse("ENVIRONMENT_CREATE_FAILED", { ...inFirst, description: "$long" }), refuseUser(inFirst)],
  },
  "environment.v1.EnvironmentService/ListEnvironments": {
    given: ["environment"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("PERMISSION_DENIED", { orgId: "$second" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.EnvironmentService/GetEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment" },
    fails: [refuse("ENVIRONMENT_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.EnvironmentService/UpdateEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment", description: "The name is gone" },
    fails: [refuse("ENVIRONMENT_UPDATE_FAILED", { id: "$environment", name: "$long" })],
  },
  "environment.v1.EnvironmentService/DeleteEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment" },
    fails: [
      refuse("ENVIRONMENT_NOT_DELETABLE", { id: "$platform" }),
      refuse("ENVIRONMENT_TO_DELETE_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
  "environment.v1.EnvironmentService/AssignConnection": {
    given: ["environment", "connection", "foreignConnection"],
    succeeds: { id: "$environment", connectionId: "$connection" },
    fails: [
      refuse("CONNECTION_NOT_ASSIGNABLE", { id: "$platform", connectionId: "$connection" }),
      refuse("CONNECTION_NOT_ASSIGNABLE", { id: "$environment", connectionId: "$foreignConnection" }),
    ],
  },
  "environment.v1.EnvironmentService/RemoveConnection": {
    given: ["environment", "connection", "connectionInEnvironment"],
    succeeds: { id: "$environment", connectionId: "$connection" },
    fails: [
      refuse("CONNECTION_NOT_DETACHABLE", { id: "$platform", connectionId: "$connection" }),
      refuse("CONNECTION_ASSIGNMENT_NOT_FOUND", { id: "$ordinary", connectionId: "$connection" }),
    ],
  },
  "environment.v1.EnvironmentService/ListEnvironmentConnections": {
    given: ["environment", "connection", "connectionInEnvironment"],
    succeeds: { id: "$environment", ...list, order: "name desc" },
    fails: [refuse("ENVIRONMENT_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.ConnectionService/CreateConnection": {
    given: ["credential"],
    succeeds: { ...inFirst, kind: "git", credentialId: "$credential", metadata: { a: [1, null, { b: true }] } },
    fails: [
      refuse("CREDENTIAL_NOT_FOUND", { ...inFirst, credentialId: "$nowhere" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      refuse("INVALID_PARAMETER", { ...inFirst, name: "$long" }),
    ],
  },
  "environment.v1.ConnectionService/GetConnection": {
    given: ["connection"],
    succeeds: { id: "$connection" },
    fails: [refuse("CONNECTION_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.ConnectionService/ListConnections": {
    given: ["connection"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("ORG_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.ConnectionService/DeleteConnection": {
    given: ["connection"],
    succeeds: { id: "$connection" },
    fails: [refuseUser({ id: "$connection" }), refuse("CONNECTION_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.CredentialService/CreateCredential": {
    succeeds: { organizationId: "$first", name: "$tag", type: "token" },
    fails: [
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "first" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { organizationId: "$first", name: "$long" }),
    ],
  },
  "environment.v1.CredentialService/GetCredential": {
    given: ["credential"],
    succeeds: { id: "$credential" },
    fails: [refuse("CREDENTIAL_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.CredentialService/ListCredentials": {
    given: ["credential"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("INVALID_PARAMETER", { orgId: "$first", pageSize: -1 }),
      refuse("ORG_ID_REQUIRED", {}),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.CredentialService/DeleteCredential": {
    given: ["credential"],
    succeeds: { id: "$credential" },
    fails: [refuseUser({ id: "$credential" }), refuse("CREDENTIAL_NOT_FOUND", { id: "$nowhere" })],
  },
};

const organizations: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.OrganizationService/CreateOrganization": {
    succeeds: { name: "$tag", description: "Made by a surface" },
    fails: [
      refuse("INVALID_PARAMETER", { name: "$long" }),
      { as: "service", reason: "USER_NOT_FOUND", request: { owner: "$nowhere" } },
    ],
  },
  "identity.v1.OrganizationService/GetOrganization": {
    given: ["organization"],
    succeeds: { id: "$organization" },
    fails: [refuse("ORGANIZATION_NOT_FOUND", { id: "$second" })],
  },
  "identity.v1.OrganizationService/ListOrganizations": {
    given: ["organization"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "name" })],
  },
  "identity.v1.OrganizationService/DeleteOrganization": {
    given: ["organization"],
    succeeds: { id: "$organization" },
    fails: [
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second" }),
      refuseUser({ id: "$first" }),
      // The demo's only Provider Admin is a member of it.
      refuse("LAST_PROVIDER_ADMIN", { id: "$first" }),
    ],
  },
  "identity.v1.OrganizationService/SetMemberRoles": {
    given: ["organization", "memberOfOrganization"],
    succeeds: { id: "$organization", userId: "$teamAdmin", roleNames: ["Team Admin", "User"] },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$organization", userId: "$teamAdmin", roleNames: ["King"] }),
      refuse("PERMISSION_DENIED", { id: "$organization", userId: "$teamAdmin", roleNames: ["Provider Admin"] }),
      refuse("MEMBER_NOT_FOUND", { id: "$organization", userId: "$outsider", roleNames: ["User"] }),
      {
        as: "providerAdmin",
        reason: "USER_NOT_FOUND",
        request: { id: "$organization", userId: "$nowhere", roleNames: ["User"] },
      },
      refuse("LAST_ORG_ADMIN", { id: "$organization", userId: "$orgAdmin", roleNames: ["User"] }),
      {
        as: "providerAdmin",
        reason: "LAST_PROVIDER_ADMIN",
        request: { id: "$first", userId: "$providerAdmin", roleNames: ["User"] },
      },
      refuse("ORGANIZATION_NOT_FOUND", { id: "$nowhere", userId: "$teamAdmin", roleNames: ["User"] }),
    ],
  },
  "identity.v1.OrganizationService/RemoveMember": {
    given: ["organization", "memberOfOrganization"],
    succeeds: { id: "$organization", userId: "$teamAdmin" },
    fails: [
      refuse("MEMBER_NOT_FOUND", { id: "$organization", userId: "$outsider" }),
      refuse("LAST_ORG_ADMIN", { id: "$organization", userId: "$orgAdmin" }),
      { as: "providerAdmin", reason: "LAST_PROVIDER_ADMIN", request: { id: "$first", userId: "$providerAdmin" } },
      refuse("ORGANIZATION_NOT_FOUND", { id: "$nowhere", userId: "$teamAdmin" }),
    ],
  },
  "identity.v1.TeamService/CreateTeam": {
    as: "teamAdmin",
    succeeds: inFirst,
    fails: [
      refuse("ORGANIZATION_ID_REQUIRED", { name: "$tag" }),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      refuse("INVALID_PARAMETER", { ...inFirst, name: "$long" }),
    ],
  },
  "identity.v1.TeamService/GetTeam": {
    given: ["team"],
    succeeds: { id: "$team" },
    fails: [refuse("TEAM_NOT_FOUND", { id: "$foreignTeam" })],
  },
  "identity.v1.TeamService/ListTeams": {
    given: ["team"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("PERMISSION_DENIED", { orgId: "all" }),
      refuse("ORG_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "identity.v1.TeamService/UpdateTeam": {
    given: ["team"],
    succeeds: { id: "$team", name: "Renamed" },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$team", description: "$long" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", name: "Renamed" }),
    ],
  },
  "identity.v1.TeamService/DeleteTeam": {
    given: ["team"],
    succeeds: { id: "$team" },
    fails: [refuseUser({ id: "$team" }), refuse("TEAM_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.TeamService/AddTeamMember": {
    given: ["team"],
    succeeds: { id: "$team", userId: "$user" },
    fails: [
      refuse("USER_NOT_FOUND", { id: "$team", userId: "$outsider" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", userId: "$user" }),
    ],
  },
  "identity.v1.TeamService/RemoveTeamMember": {
    given: ["team", "memberOfTeam"],
    succeeds: { id: "$team", userId: "$user" },
    fails: [
      refuse("TEAM_MEMBER_NOT_FOUND", { id: "$team", userId: "$outsider" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", userId: "$user" }),
    ],
  },
};

const invited = { organizationId: "$organization", userId: "$outsider", roleNames: ["Team Admin", "User"] };

const invitations: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.InvitationService/CreateInvitation": {
    given: ["organization", "invitation"],
    succeeds: invited,
    fails: [
      refuse("INVALID_PARAMETER", { ...invited, email: "$email" }),
      refuse("PERMISSION_DENIED", { ...invited, roleNames: ["Provider Admin"] }),
      refuse("ORGANIZATION_NOT_FOUND", { ...invited, organizationId: "$second" }),
      refuse("USER_NOT_FOUND", { ...invited, userId: "$nowhere" }),
      refuse("MEMBER_EXISTS", { ...invited, userId: "$orgAdmin" }),
      refuse("INVITATION_EXISTS", { ...invited, userId: "$teamAdmin" }),
    ],
  },
  "identity.v1.InvitationService/GetInvitation": {
    given: ["organization", "invitation"],
    succeeds: { organizationId: "$organization", id: "$invitation" },
    fails: [
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second", id: "$invitation" }),
      refuse("INVITATION_NOT_FOUND", { organizationId: "$organization", id: "$nowhere" }),
      refuseUser({ organizationId: "$first", id: "$invitation" }),
    ],
  },
  "identity.v1.InvitationService/ListInvitations": {
    given: ["organization", "invitation", "invitationByEmail"],
    succeeds: { organizationId: "$organization", order: "created_at asc", pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$organization", order: "email" }),
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second" }),
      refuseUser({ organizationId: "$first" }),
    ],
  },
  "identity.v1.InvitationService/RevokeInvitation": {
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [refuse("INVITATION_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.InvitationService/AcceptInvitation": {
    as: "teamAdmin",
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [
      { as: "orgAdmin", reason: "INVITATION_NOT_FOUND", request: { id: "$invitation" } },
      { as: "service", reason: "USER_NOT_FOUND", request: { id: "$invitation" } },
    ],
  },
  "identity.v1.InvitationService/DeclineInvitation": {
    as: "teamAdmin",
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [
      { as: "orgAdmin", reason: "INVITATION_NOT_FOUND", request: { id: "$invitation" } },
      { as: "service", reason: "USER_NOT_FOUND", request: { id: "$invitation" } },
    ],
  },
};

const audit: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.AuditService/ListAuditEvents": {
    given: ["organization", "invitation"],
    succeeds: { organizationId: "$organization", pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$organization", cursor: "x" }),
      refuse("INVALID_PARAMETER", { organizationId: "$organization", pageSize: -1 }),
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second" }),
      refuseUser({ organizationId: "$first" }),
    ],
  },
};

const people: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.UserService/GetProfile": {
    as: "user",
    succeeds: {},
    fails: [{ as: "anonymous", request: {}, reason: "UNAUTHENTICATED" }],
  },
  "identity.v1.UserService/UpdatePreferences": {
    as: "workspaceAdmin",
    given: ["workspace"],
    succeeds: { selectedOrganization: "$first", selectedWorkspace: "$workspace" },
    fails: [
      refuse("ORGANIZATION_NOT_FOUND", { selectedOrganization: "$second" }),
      refuse("WORKSPACE_NOT_FOUND", { selectedOrganization: "$first", selectedWorkspace: "$nowhere" }),
    ],
  },
  "identity.v1.UserService/CreateUser": {
    as: "providerAdmin",
    given: ["person"],
    succeeds: { email: "$email", firstName: "Ada", lastName: "Lovelace" },
    fails: [
      refuse("INVALID_PARAMETER", { email: "nobody" }),
      refuse("EMAIL_TAKEN", { email: "$takenEmail" }),
      refuseUser({ email: "$email" }),
    ],
  },
  "identity.v1.UserService/GetUser": {
    as: "user",
    succeeds: { id: "$teamAdmin" },
    fails: [refuse("USER_NOT_FOUND", { id: "$outsider" })],
  },
  "identity.v1.TokenService/CreateToken": {
    succeeds: { name: "$tag" },
    fails: [
      refuse("INVALID_PARAMETER", { name: "$long" }),
      { as: "service", reason: "USER_NOT_FOUND", request: { name: "$tag", userId: "$nowhere" } },
    ],
  },
  "identity.v1.TokenService/ListTokens": {
    given: ["token"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "hint" })],
  },
  "identity.v1.TokenService/RevokeToken": {
    given: ["token"],
    succeeds: { id: "$token" },
    fails: [refuse("TOKEN_NOT_FOUND", { id: "$nowhere" })],
  },
  "academy.v1.CurriculumService/ListCurricula": {
    as: "user",
    given: ["curriculum"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "title" })],
  },
  "academy.v1.CurriculumService/CreateCurriculum": {
    succeeds: { organizationId: "$first", title: "$tag", level: "beginner", visibility: "private" },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$first", title: "$long" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
    ],
  },
  "academy.v1.CurriculumService/RegisterForCurriculum": {
    as: "user",
    given: ["curriculum"],
    succeeds: { id: "$curriculum" },
    fails: [refuse("CURRICULUM_NOT_FOUND", { id: "$nowhere" })],
  },
};

/** By `<package>.<service>/<method>`. */
export const SURFACE_EXAMPLES: Readonly<Record<string, SurfaceExample>> = {
  ...workspaces,
  ...itemExamples("design"),
  ...itemExamples("view"),
  ...environments,
  ...organizations,
  ...invitations,
  ...audit,
  ...people,
};
