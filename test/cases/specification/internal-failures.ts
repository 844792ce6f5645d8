import type { MethodRequest } from "../../e2e/permissions/promised-methods.ts";

export interface InternalFailure {
  readonly request: MethodRequest;
  /** The reason in the google.rpc.ErrorInfo. */
  readonly reason: string;
}

const unknownId = "00000000-0000-7000-8000-000000000000";
const tooManyIds = Array.from({ length: 1001 }, () => unknownId);

const refused = (request: MethodRequest): InternalFailure => ({ request, reason: "INVALID_PARAMETER" });
const batch = [refused({ ids: tooManyIds })];
const selection = [refused({ organizationId: "x" }), refused({ organizationId: unknownId, page: "-1" })];
const packedSelection = [...selection, refused({ organizationId: unknownId, ids: "AA==" })];

/**
 * The errors of the RPCs for services only, each with a request that causes it. `internal-failures.e2e.test.ts` sends
 * the requests; `named-errors.unit.test.ts` compares the errors with the comments in proto/.
 */
export const INTERNAL_FAILURES: Readonly<Record<string, readonly InternalFailure[]>> = {
  "cloud.api.v1.RecordStateService/BatchGetRecordStates": [
    refused({ kind: "RECORD_KIND_TEAM" }),
    refused({ kind: "RECORD_KIND_WORKSPACE", ids: tooManyIds }),
  ],
  "environment.v1.DirectoryService/BatchGetEnvironments": batch,
  "environment.v1.DirectoryService/ListConnectionEnvironments": [],
  "environment.v1.DirectoryService/SelectEnvironments": selection,
  "environment.v1.DirectoryService/SelectEnvironmentsAmong": packedSelection,
  "environment.v1.EnvironmentService/ProvisionEnvironment": [
    { request: {}, reason: "ORGANIZATION_ID_REQUIRED" },
    { request: { organizationId: "x" }, reason: "ORGANIZATION_ID_INVALID" },
    { request: { organizationId: unknownId }, reason: "ORGANIZATION_NOT_FOUND" },
    refused({ organizationId: "$organization", metadata: { text: "x".repeat(2 ** 16) } }),
    { request: { organizationId: "$organization", name: "x".repeat(256) }, reason: "ENVIRONMENT_CREATE_FAILED" },
  ],
  "identity.v1.AuthService/Authenticate": [{ request: { token: "unknown" }, reason: "UNAUTHENTICATED" }],
  "identity.v1.AuthService/BatchAuthenticate": [refused({ tokens: Array.from({ length: 257 }, () => "unknown") })],
  "identity.v1.DirectoryService/BatchGetOrganizations": batch,
  "identity.v1.DirectoryService/BatchGetTeams": batch,
  "identity.v1.DirectoryService/ListLiveOrganizationIds": [],
  "identity.v1.DirectoryService/ListUserTeamIds": [],
  "identity.v1.DirectoryService/SelectTeams": selection,
  "identity.v1.DirectoryService/SelectTeamsAmong": packedSelection,
  "workspace.v1.AccessService/CheckAccess": [
    refused({ userId: unknownId, resourceKind: "organization", resourceId: unknownId }),
  ],
  "workspace.v1.DirectoryService/BatchGetWorkspaces": batch,
};
