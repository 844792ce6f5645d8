/** A field in which a foreign record gets another answer than a missing one, and the sentence that demands it. */
export type Exception = Ignored | Distinguished;

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

const OWN =
  "RPC callers with a user's token are held to that user's permissions; with a service credential they name the user";

const distinguished = (foreign: string, missing: string, because: string): Distinguished => ({
  kind: "distinguished",
  foreign,
  missing,
  because,
});

/** By `<RPC> <field>`. Data. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "academy.v1.CurriculumService/RegisterForCurriculum userId": { kind: "ignored", because: OWN },
  "identity.v1.TokenService/CreateToken userId": { kind: "ignored", because: OWN },
  "identity.v1.TokenService/ListTokens userId": { kind: "ignored", because: OWN },
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
