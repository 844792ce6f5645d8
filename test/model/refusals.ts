import type { Permission } from "./permissions.ts";

/** An error response: status and texts of the specification and the contract, not of the product's catalogue. */
export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly code: string;
}

const refusal = (status: number, code: string, error: string): Refusal => ({ status, code, error });

export const UNAUTHENTICATED = refusal(401, "UNAUTHENTICATED", "a valid security token is required");
export const ORGANIZATION_ID_REQUIRED = refusal(400, "ORGANIZATION_ID_REQUIRED", "organizationId is required");
export const ORGANIZATION_ID_INVALID = refusal(400, "ORGANIZATION_ID_INVALID", "invalid organizationId format");
export const ORG_ID_REQUIRED = refusal(400, "ORG_ID_REQUIRED", "orgId is required");
export const ORGANIZATION_NOT_FOUND = refusal(404, "ORGANIZATION_NOT_FOUND", "organization not found");
export const USER_NOT_FOUND = refusal(404, "USER_NOT_FOUND", "user not found");
export const MEMBER_NOT_FOUND = refusal(404, "MEMBER_NOT_FOUND", "member not found");
export const LAST_ORG_ADMIN = refusal(409, "LAST_ORG_ADMIN", "an organization needs an Org Admin");
export const WORKSPACE_NOT_FOUND = refusal(404, "WORKSPACE_NOT_FOUND", "workspace not found");
export const WORKSPACE_CREATE_FAILED = refusal(500, "WORKSPACE_CREATE_FAILED", "Unable to create workspace");
export const WORKSPACE_UPDATE_EMPTY = refusal(400, "WORKSPACE_UPDATE_EMPTY", "Unable to update workspace");
export const WORKSPACE_UPDATE_FAILED = refusal(500, "WORKSPACE_UPDATE_FAILED", "Unable to update workspace");
export const LAST_WORKSPACE = refusal(
  500,
  "LAST_WORKSPACE",
  "cannot delete workspace: at least one workspace must exist for the organization",
);
export const ENVIRONMENT_NOT_FOUND = refusal(404, "ENVIRONMENT_NOT_FOUND", "environment not found");
export const ENVIRONMENT_TO_DELETE_NOT_FOUND = refusal(
  404,
  "ENVIRONMENT_TO_DELETE_NOT_FOUND",
  "no environment with the requested id",
);
export const ENVIRONMENT_CREATE_FAILED = refusal(500, "ENVIRONMENT_CREATE_FAILED", "Unable to create environment");
export const ENVIRONMENT_UPDATE_EMPTY = refusal(400, "ENVIRONMENT_UPDATE_EMPTY", "Unable to update environment");
export const ENVIRONMENT_UPDATE_FAILED = refusal(500, "ENVIRONMENT_UPDATE_FAILED", "Unable to update environment");
export const ENVIRONMENT_NOT_DELETABLE = refusal(
  403,
  "ENVIRONMENT_NOT_DELETABLE",
  "this environment is provisioned by the platform and cannot be deleted here",
);
export const ENVIRONMENT_NOT_ATTACHABLE = refusal(
  403,
  "ENVIRONMENT_NOT_ATTACHABLE",
  "this environment is provisioned by the platform and cannot be added to a workspace",
);
export const TEAM_NOT_FOUND = refusal(404, "TEAM_NOT_FOUND", "team not found");
export const NOT_FOUND = { team: TEAM_NOT_FOUND, environment: ENVIRONMENT_NOT_FOUND };
export const IN_OTHER_ORGANIZATION = {
  team: refusal(403, "TEAM_IN_OTHER_ORGANIZATION", "unable to add team to workspace"),
  environment: refusal(403, "ENVIRONMENT_IN_OTHER_ORGANIZATION", "unable to add environment to workspace"),
};
export const NOT_ASSIGNED = {
  team: refusal(404, "TEAM_ASSIGNMENT_NOT_FOUND", "no such team assignment"),
  environment: refusal(404, "ENVIRONMENT_ASSIGNMENT_NOT_FOUND", "no such environment assignment"),
};

export const denied = (permission: Permission | "View All Organizations" | "View Workspace"): Refusal =>
  refusal(403, "PERMISSION_DENIED", 'permission "' + permission + '" is required');

export const invalid = (parameter: string, accepts: string): Refusal =>
  refusal(400, "INVALID_PARAMETER", parameter + " must be " + accepts);
