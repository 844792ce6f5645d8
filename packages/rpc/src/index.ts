export { createAuthenticator } from "./authenticator.ts";
export { ownerFor, requireCreation, requireListScope, requireMembership, requirePermission } from "./authorization.ts";
export { type Caller, callerOf, createCaller, serviceCaller } from "./caller.ts";
export { codeOf, fail, type ReasonText, reasonOf, ruleOf } from "./fail.ts";
export type {
  ConnectionId,
  CredentialId,
  CurriculumId,
  DesignId,
  EnvironmentId,
  Id,
  OrganizationId,
  TeamId,
  TokenId,
  UserId,
  ViewId,
  WorkspaceId,
} from "./id.ts";
export { isId, newId, parseId, parseOrganizationId } from "./id.ts";
export { type ListParameters, type ListRequest, parseAssigned, parseListParameters } from "./list-parameters.ts";
export { permissionName } from "./permission-name.ts";
export { drainHttp1, leaveHttp1 } from "./server/drain-http1.ts";
export { type ProgramOptions, runProgram } from "./server/run-program.ts";
export { type RpcServer, type RpcServerOptions, startRpcServer } from "./server/start-rpc-server.ts";
export { createServiceTransport, type ServiceTransport, type ServiceTransportOptions } from "./service-transport.ts";
export { MAX_TEXT_LENGTH, parseText, parseTextParameter } from "./text.ts";
export { timestampToProto } from "./timestamp.ts";
export { parseVisibility, parseVisibilityFilter, VISIBILITIES, type Visibility } from "./visibility.ts";
