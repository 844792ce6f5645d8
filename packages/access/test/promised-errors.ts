/** An error promised to REST clients: status, text and, where the documents define it, the code. */
export type PromisedError = readonly [status: number, text: string, code?: string];

/** Specification, section 7: every row with a text. */
export const SPECIFIED: readonly PromisedError[] = [
  [400, "organizationId is required"],
  [400, "invalid organizationId format"],
  [500, "Unable to create workspace"],
  [400, "Unable to update workspace"],
  [404, "workspace not found"],
  [500, "cannot delete workspace: at least one workspace must exist for the organization"],
  [403, "unable to add team to workspace"],
  [403, "unable to add environment to workspace"],
  [403, "this environment is provisioned by the platform and cannot be added to a workspace"],
  [404, "no such environment assignment"],
  [403, "this environment is provisioned by the platform and cannot be deleted here"],
  [404, "no environment with the requested id"],
  [403, "this connection cannot be assigned to this environment"],
  [403, "this connection cannot be detached from this environment"],
  [404, "no such connection assignment"],
  [404, "environment not found"],
];

/** Contract, sections 1, 2 and 5: every text that it adds. */
export const CONTRACTED: readonly PromisedError[] = [
  [401, "a valid security token is required", "UNAUTHENTICATED"],
  [403, 'permission "{permission}" is required', "PERMISSION_DENIED"],
  [400, "organizationId is required", "ORGANIZATION_ID_REQUIRED"],
  [400, "invalid organizationId format", "ORGANIZATION_ID_INVALID"],
  [500, "Unable to create environment", "ENVIRONMENT_CREATE_FAILED"],
  [500, "Unable to update workspace"],
  [400, "Unable to update environment"],
  [500, "Unable to update environment"],
  [400, "orgId is required", "ORG_ID_REQUIRED"],
  [404, "workspace not found", "WORKSPACE_NOT_FOUND"],
  [400, "{parameter} must be {accepts}", "INVALID_PARAMETER"],
  [400, "request body is not valid JSON", "INVALID_JSON"],
  [413, "request body is larger than 1 MiB", "BODY_TOO_LARGE"],
  [404, "no such team assignment"],
  [404, "no such design assignment"],
  [404, "no such view assignment"],
  [404, "team not found"],
  [404, "environment not found"],
  [404, "design not found"],
  [404, "view not found"],
  [404, "connection not found"],
  [404, "organization not found"],
  [403, "unable to add view to workspace"],
  [403, "unable to add design to workspace"],
  [403, "this connection cannot be assigned to this environment"],
  [404, "member not found", "MEMBER_NOT_FOUND"],
  [429, "too many requests", "RATE_LIMITED"],
  [409, "an organization needs an Org Admin", "LAST_ORG_ADMIN"],
  [409, "the system needs a Provider Admin", "LAST_PROVIDER_ADMIN"],
  [503, "the service is temporarily unavailable"],
  [504, "the request took too long"],
];

/** Contract, section 2: the RPC codes of errors for which the specification requires status 500 in REST. */
export const RPC_CODES: readonly (readonly [code: string, rpcCode: string])[] = [
  ["WORKSPACE_CREATE_FAILED", "INVALID_ARGUMENT"],
  ["WORKSPACE_UPDATE_FAILED", "INVALID_ARGUMENT"],
  ["ENVIRONMENT_CREATE_FAILED", "INVALID_ARGUMENT"],
  ["ENVIRONMENT_UPDATE_FAILED", "INVALID_ARGUMENT"],
  ["LAST_WORKSPACE", "FAILED_PRECONDITION"],
];
