/** A field in which a foreign record gets another answer than a missing one, and the sentence that demands it. */
export type Exception = Ignored | Distinguished | Served;

/** Only a service may name another user; whatever a user sends there is ignored, and the call is about the caller. */
export interface Ignored {
  readonly kind: "ignored";
  readonly because: string;
}

/** The codes of the two answers. */
export interface Distinguished {
  readonly kind: "distinguished";
  readonly foreign: string;
  readonly missing: string;
  readonly because: string;
}

/** The field may name any user, who belongs to no organization: such a call succeeds, and fails for a missing one. */
export interface Served {
  readonly kind: "served";
  readonly missing: string;
  readonly because: string;
}

const OWN =
  "RPC callers with a user's token are held to that user's permissions; with a service credential they name the user";

const distinguished = (foreign: string, missing: string, because: string): Distinguished => ({
  kind: "distinguished",
  foreign,
  missing,
  because,
});

const ignored: Ignored = { kind: "ignored", because: OWN };

const INVITED = "who is not a member yet is invited (by e-mail or user id, with roles)";

/** The exceptions, by `<RPC> <field>`. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "academy.v1.CurriculumService/RegisterForCurriculum userId": ignored,
  "identity.v1.OrganizationService/CreateOrganization owner": ignored,
  "identity.v1.TeamService/CreateTeam owner": ignored,
  "identity.v1.TokenService/CreateToken userId": ignored,
  "identity.v1.TokenService/ListTokens userId": ignored,
  "environment.v1.ConnectionService/CreateConnection owner": ignored,
  "environment.v1.CredentialService/CreateCredential owner": ignored,
  "workspace.v1.DesignService/CreateDesign owner": ignored,
  "workspace.v1.ViewService/CreateView owner": ignored,
  "workspace.v1.WorkspaceService/CreateWorkspace owner": ignored,
  "identity.v1.InvitationService/CreateInvitation userId": {
    kind: "served",
    missing: "USER_NOT_FOUND",
    because: INVITED,
  },
  // The same user, whom CreateInvitation has invited by then.
  "identity.v1.InvitationService/AddMember userId": distinguished("INVITATION_EXISTS", "USER_NOT_FOUND", INVITED),
  "workspace.v1.WorkspaceService/AssignTeam teamId": distinguished(
    "TEAM_IN_OTHER_ORGANIZATION",
    "TEAM_NOT_FOUND",
    "Specification, assign team: 403 `unable to add team to workspace` for a team of another organization",
  ),
  "workspace.v1.WorkspaceService/AssignEnvironment environmentId": distinguished(
    "ENVIRONMENT_IN_OTHER_ORGANIZATION",
    "ENVIRONMENT_NOT_FOUND",
    "Specification, assign environment: 403 `unable to add environment to workspace` for one of another organization",
  ),
  "workspace.v1.WorkspaceService/AssignDesign designId": distinguished(
    "DESIGN_IN_OTHER_ORGANIZATION",
    "DESIGN_NOT_FOUND",
    "assign a design that is neither in the workspace's organization nor owned by the caller: 403 `unable to add design to workspace`",
  ),
  "workspace.v1.WorkspaceService/AssignView viewId": distinguished(
    "VIEW_IN_OTHER_ORGANIZATION",
    "VIEW_NOT_FOUND",
    "assign a view of another organization: 403 `unable to add view to workspace`",
  ),
  "environment.v1.EnvironmentService/AssignConnection connectionId": distinguished(
    "CONNECTION_NOT_ASSIGNABLE",
    "CONNECTION_NOT_FOUND",
    "assign a connection of another organization: 403 `this connection cannot be assigned to this environment`",
  ),
};
